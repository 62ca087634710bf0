import NIOCore

/// The channel of an outlet, for bytes that are not given to the system's socket directly.
protocol OutletChannel: AnyObject {
  /// The number of written bytes that the system has not taken.
  var waitingBytes: Int { get }
  /// Queues bytes behind those that wait.
  func write(_ bytes: ByteBuffer)
  /// Gives queued bytes to the system, as many as it takes.
  func flushChannel()
}

/// The id of an outlet for as long as messages may be sent by it. Later outlets in the same row have another id.
public struct OutletID: BitwiseCopyable, Sendable {
  @usableFromInline let row: Int32
  @usableFromInline let generation: UInt32

  /// The id of no outlet: messages to it are dropped.
  public static let none = OutletID(row: -1, generation: 0)
}

/// A message for any number of outlets: the step from each outlet's chain to the chain with the message behind it.
public struct OutletStep {
  @usableFromInline var from: Int32 = -1
  @usableFromInline var to: Int32 = -1
  @usableFromInline var round: UInt32 = 0
  let message: ByteBuffer
  /// The steps of outlets with another chain than the first.
  var others: [Int32: Int32] = [:]

  /// Creates the step of a message that is not queued anywhere yet.
  public init(_ message: ByteBuffer) { self.message = message }
}

/// The outlets of one event loop: one row for each, and one pass that sends the queued messages of all.
///
/// Messages are queued as ``QueuedChains``, and sent with ``flush()``, or when an outlet is flushed by itself. An outlet
/// whose socket takes all bytes needs one system call; the bytes that the socket does not take go through the outlet's
/// channel, and so do all that follow until the channel is empty. Outlets without a socket of their own, such as
/// encrypted ones, always use their channels.
///
/// Used on its event loop only.
public final class OutletTable {
  /// The size in bytes up to which messages are copied together.
  static let coalescedBytesMax = 16 << 10

  @usableFromInline struct Row: BitwiseCopyable {
    /// The generation, which changes when the outlet gets no more messages through an ``OutletID``.
    @usableFromInline var generation: UInt32 = 1
    /// The queued chain.
    @usableFromInline var chain: Int32 = 0
    /// True when the next pass visits the row.
    @usableFromInline var isListed = false
    /// True when the channel holds no bytes.
    var isClear = false
    /// True when the channel holds bytes that it was not asked to flush.
    var needsFlush = false
    /// The socket; -1 when all bytes must go through the channel.
    var descriptor: Int32 = -1
    /// The time of the last output, in the loop's seconds.
    var sentAt: Int32 = 0
    /// The uncounted bytes that were sent past the channel.
    var directBytes = 0
  }

  @usableFromInline let rows = RawRows<Row>()
  /// The channel of each row.
  private var channels: [(any OutletChannel)?] = []
  private var free: [Int] = []
  private var chains = QueuedChains()
  /// A counter of the times that ``chains`` began anew: a step from before is invalid.
  @usableFromInline var round: UInt32 = 1
  /// The rows with output, each once, and those of the pass under way.
  private let listed = RawRows<Int32>()
  private let rowsInPass = RawRows<Int32>()
  private var isPassing = false
  /// The loop's clock in seconds.
  var now: Int32 = 0

  /// Creates a table without outlets; each event loop has one.
  public init() {}

  // MARK: Rows

  /// Adds an outlet.
  ///
  /// - Parameter descriptor: the socket to which its bytes may be given directly; -1 for none.
  /// - Returns: the number of its row.
  func add(_ channel: any OutletChannel, descriptor: Int32) -> Int {
    let number = free.popLast() ?? rows.count
    if number == rows.count {
      rows.append(Row())
      channels.append(nil)
    }
    rows[number] = Row(
      generation: rows[number].generation, isListed: rows[number].isListed, descriptor: descriptor, sentAt: now)
    channels[number] = channel
    return number
  }

  func remove(_ number: Int) {
    seal(number)
    rows[number].chain = 0
    rows[number].needsFlush = false
    rows[number].descriptor = -1
    channels[number] = nil
    free.append(number)
  }

  /// Invalidates the outlet's id: from now on only the outlet's owner sends.
  func seal(_ number: Int) { rows[number].generation &+= 1 }

  func id(_ number: Int) -> OutletID {
    OutletID(row: Int32(truncatingIfNeeded: number), generation: rows[number].generation)
  }

  /// The number of outlets.
  var count: Int { rows.count - free.count }

  // MARK: Staging

  /// Queues the step's message in an outlet.
  @inlinable
  public func stage(_ id: OutletID, _ step: inout OutletStep) {
    let number = Int(id.row)
    guard number >= 0, rows[number].generation == id.generation else { return }
    guard rows[number].chain == step.from, step.round == round else { return stageElsewhere(number, &step) }
    rows[number].chain = step.to
    if !rows[number].isListed { list(number) }
  }

  @usableFromInline
  func stageElsewhere(_ number: Int, _ step: inout OutletStep) {
    if step.round != round {
      step.others.removeAll()
      step.round = round
    }
    makeRoom(for: step.message.readableBytes, in: number)
    let from = rows[number].chain
    let to = step.others[from] ?? chains.append(step.message, to: from)
    step.others[from] = to
    (step.from, step.to) = (from, to)
    set(number, to)
  }

  /// Queues a message for this outlet alone.
  func stage(_ number: Int, _ message: ByteBuffer) {
    makeRoom(for: message.readableBytes, in: number)
    set(number, chains.append(message, to: rows[number].chain))
  }

  private func set(_ number: Int, _ chain: Int32) {
    rows[number].chain = chain
    if !rows[number].isListed { list(number) }
  }

  @usableFromInline
  func list(_ number: Int) {
    rows[number].isListed = true
    listed.append(Int32(truncatingIfNeeded: number))
  }

  private func makeRoom(for count: Int, in number: Int) {
    let staged = chains.sizeBytes(of: rows[number].chain)
    if staged > 0, staged + count > Self.coalescedBytesMax { release(number) }
  }

  /// Drops the queued messages.
  func discard(_ number: Int) { rows[number].chain = 0 }

  // MARK: Sending

  /// Sends the outlet's queued messages.
  func flush(_ number: Int) {
    release(number)
    flushChannel(number)
  }

  /// Sends the queued messages of all outlets.
  public func flush() {
    guard !isPassing else { return }
    isPassing = true
    while listed.count > 0 {
      listed.exchange(with: rowsInPass)
      pass()
      rowsInPass.removeAll()
    }
    isPassing = false
    guard !chains.isEmpty else { return }
    chains.removeAll()
    round &+= 1
  }

  /// Sends to the outlets of ``rowsInPass``. Callbacks may queue more messages and end outlets meanwhile.
  private func pass() {
    var next = 0
    while next < rowsInPass.count {
      let number = Int(rowsInPass[next])
      next += 1
      rows[number].isListed = false
      let chain = rows[number].chain
      guard chain != 0, isClear(number) else {
        flush(number)
        continue
      }
      // Rows with the same chain mostly follow each other.
      let bytes = chains.bytes(of: chain)
      let rest = bytes.withUnsafeReadableBytes { bytes in
        var rest = send(bytes, to: number)
        while rest == nil, next < rowsInPass.count {
          let number = Int(rowsInPass[next])
          guard rows[number].chain == chain, rows[number].isClear else { break }
          next += 1
          rows[number].isListed = false
          rest = send(bytes, to: number)
        }
        return rest
      }
      if let rest { sendRest(of: bytes, from: rest, number: Int(rowsInPass[next - 1])) }
    }
  }

  /// Sends the queued messages, or puts them in the channel.
  func release(_ number: Int) {
    let chain = rows[number].chain
    guard chain != 0 else { return }
    let bytes = chains.bytes(of: chain)
    guard isClear(number) else {
      rows[number].chain = 0
      return write(bytes, number)
    }
    let rest = bytes.withUnsafeReadableBytes { send($0, to: number) }
    if let rest { write(bytes.getSlice(at: bytes.readerIndex + rest, length: bytes.readableBytes - rest), number) }
  }

  /// Sends bytes.
  ///
  /// - Returns: the number of bytes that the socket took; nil when it took all.
  @inline(__always)
  private func send(_ bytes: UnsafeRawBufferPointer, to number: Int) -> Int? {
    let sent = DirectSend.send(bytes, to: rows[number].descriptor)
    rows[number].chain = 0
    rows[number].sentAt = now
    rows[number].directBytes &+= sent
    return sent == bytes.count ? nil : sent
  }

  private func sendRest(of bytes: ByteBuffer, from start: Int, number: Int) {
    write(bytes.getSlice(at: bytes.readerIndex + start, length: bytes.readableBytes - start), number)
    flushChannel(number)
  }

  private func write(_ bytes: ByteBuffer?, _ number: Int) {
    guard let bytes, let channel = channels[number] else { return }
    rows[number].sentAt = now
    wroteToChannel(number)
    channel.write(bytes)
  }

  private func flushChannel(_ number: Int) {
    guard rows[number].needsFlush, let channel = channels[number] else { return }
    rows[number].needsFlush = false
    channel.flushChannel()
  }

  // MARK: The channel

  /// Records unflushed bytes in the channel: later output has to follow them there.
  func wroteToChannel(_ number: Int) {
    rows[number].isClear = false
    rows[number].needsFlush = true
    if !rows[number].isListed { list(number) }
  }

  /// Returns true when bytes may be given to the socket: none wait in the channel before them.
  func isClear(_ number: Int) -> Bool {
    guard rows[number].descriptor >= 0 else { return false }
    if !rows[number].isClear { rows[number].isClear = channels[number]?.waitingBytes == 0 }
    return rows[number].isClear
  }

  func sentAt(_ number: Int) -> Int32 { rows[number].sentAt }

  /// Returns the bytes sent past the channel since the last call.
  func takeDirectBytes(_ number: Int) -> Int {
    defer { rows[number].directBytes = 0 }
    return rows[number].directBytes
  }
}
