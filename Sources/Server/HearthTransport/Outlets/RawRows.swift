import Glibc
import NIOCore

// All uses of raw memory and descriptors by the output are in this file. They are unsafe for speed: each of a thousand rows is
// visited for every event, and an array in a class would cost a check of exclusive access, a check of its bounds and two reference
// counts at each visit, which together were most of the cost of a delivery in this program.

/// A table of plain values by number.
///
/// A number that ``append(_:)`` has not assigned is a mistake of the caller; in debug builds it traps.
public struct RawRows<Row: BitwiseCopyable>: ~Copyable {
  @usableFromInline struct State {
    @usableFromInline var base: UnsafeMutablePointer<Row>
    @usableFromInline var count = 0
    var capacity = 64
  }

  /// A pointer, so that an owner that keeps the rows in a constant can change them without a check of exclusive access.
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// Creates an empty table with room for 64 rows.
  public init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State(base: .allocate(capacity: 64)))
  }

  // Plain values need no deinitialising.
  deinit {
    state.pointee.base.deallocate()
    state.deallocate()
  }

  /// The number of rows; the numbers of the rows are below it.
  @inlinable public var count: Int { state.pointee.count }

  /// The row of that number, to be read and changed in place. Not to be kept: appending a row moves the rows.
  @inlinable
  public subscript(number: Int) -> Row {
    _read {
      assert(number >= 0 && number < count)
      yield state.pointee.base[number]
    }
    nonmutating _modify {
      assert(number >= 0 && number < count)
      yield &state.pointee.base[number]
    }
  }

  /// Appends a row; its number is the previous ``count``.
  public func append(_ row: Row) {
    if state.pointee.count == state.pointee.capacity { grow() }
    (state.pointee.base + state.pointee.count).initialize(to: row)
    state.pointee.count += 1
  }

  /// Removes all rows; the capacity stays.
  public func removeAll() { state.pointee.count = 0 }

  /// Exchanges the contents with those of another table.
  func exchange(with other: borrowing RawRows<Row>) { swap(&state.pointee, &other.state.pointee) }

  private func grow() {
    let larger = UnsafeMutablePointer<Row>.allocate(capacity: state.pointee.capacity * 2)
    larger.update(from: state.pointee.base, count: state.pointee.count)
    state.pointee.base.deallocate()
    state.pointee.base = larger
    state.pointee.capacity *= 2
  }
}

/// The functions that send past a channel.
enum DirectSend {
  /// Returns the descriptor of a channel that is one of the system's sockets; -1 for another.
  ///
  /// A row of ``OutletTable`` keeps it beyond the closure in which it is valid, because no send comes between the end
  /// of the descriptor, whose number another thread may then get, and the end of the row. The channel closes it on its
  /// own event loop only. When a handler asks for that, the row has ended before (`close(context:)` of the handlers).
  /// When the channel does it by itself, it fails the waiting writes and notifies its handlers in the same turn: the
  /// row ends with `channelInactive`, and callbacks of failed writes do not send.
  static func descriptor(of context: ChannelHandlerContext) -> Int32 {
    let found = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable {
      (descriptor: NIOBSDSocket.Handle) in
      descriptor
    }
    return found ?? -1
  }

  /// Sends bytes, without waiting for room.
  ///
  /// - Returns: the number of bytes that the system took; 0 for any error: the channel then finds that out by itself.
  @inline(__always)
  static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    max(0, Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)))
  }
}
