import NIOCore

/// What a line's bytes go through when the system's socket is not given them directly.
protocol OutletChannel: AnyObject {
  /// Bytes that were written and that the system has not taken.
  var waitingBytes: Int { get }
  /// Puts bytes behind those that wait.
  func write(_ bytes: ByteBuffer)
  /// Has the system take what it takes.
  func flushChannel()
}

/// The name of a line out for as long as it may be told things. Lines that come later at the same place have another.
public struct OutletID: BitwiseCopyable, Sendable {
  @usableFromInline let row: Int32
  @usableFromInline let generation: UInt32

  /// Names no line: what it is told reaches nobody.
  public static let none = OutletID(row: -1, generation: 0)
}

/// A message for any number of lines: the step from what each is to be sent to the same with the message behind it.
public struct OutletStep {
  @usableFromInline var from: Int32 = -1
  @usableFromInline var to: Int32 = -1
  @usableFromInline var round: UInt32 = 0
  let message: ByteBuffer
  /// The steps of those lines that were to be sent something else.
  var others: [Int32: Int32] = [:]

  /// The step of one message, before it is put in any line.
  public init(_ message: ByteBuffer) { self.message = message }
}

/// The lines out of one event loop: one row for each, and one pass that sends what all of them have been told.
///
/// What lines are told is staged as ``Bursts``, and leaves with ``flush()``, or when a line is flushed by itself. A line
/// whose socket takes everything is sent it with one call of the system; what the socket does not take goes the way through
/// the line's channel, and so does all that follows until the channel holds nothing any more. Lines without a socket of
/// their own, such as encrypted ones, go through their channels always.
///
/// Used on its event loop only.
public final class OutletTable {
  /// Up to this size messages are copied together.
  static let coalescedBytesMax = 16 << 10

  @usableFromInline struct Row: BitwiseCopyable {
    /// Changes when the line may be told no more through an ``OutletID``.
    @usableFromInline var generation: UInt32 = 1
    /// The chain that is staged.
    @usableFromInline var burst: Int32 = 0
    /// It is among those that the next pass looks at.
    @usableFromInline var isListed = false
    /// Nothing waits in the channel.
    var isClear = false
    /// Something was put in the channel that the system was not told of.
    var needsFlush = false
    /// The socket; -1 when the channel must not be passed by.
    var descriptor: Int32 = -1
    /// When something was last sent, in the loop's seconds.
    var sentAt: Int32 = 0
    /// Bytes that were sent past the channel and are not counted yet.
    var directBytes = 0
  }

  @usableFromInline let rows = RawRows<Row>()
  /// What each row's bytes go through otherwise.
  private var channels: [(any OutletChannel)?] = []
  private var free: [Int] = []
  private var bursts = Bursts()
  /// Counts how often ``bursts`` began anew: a step from before leads nowhere.
  @usableFromInline var round: UInt32 = 1
  /// The rows that have something to send, each once, and those of the pass under way.
  private let listed = RawRows<Int32>()
  private let passing = RawRows<Int32>()
  private var isPassing = false
  /// The loop's seconds.
  var now: Int32 = 0

  /// A table without lines; each event loop has one.
  public init() {}

  // MARK: Lines

  /// A new line.
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
    rows[number].burst = 0
    rows[number].needsFlush = false
    rows[number].descriptor = -1
    channels[number] = nil
    free.append(number)
  }

  /// From now on only the line's owner tells it anything.
  func seal(_ number: Int) { rows[number].generation &+= 1 }

  func id(_ number: Int) -> OutletID {
    OutletID(row: Int32(truncatingIfNeeded: number), generation: rows[number].generation)
  }

  /// Lines that there are.
  var count: Int { rows.count - free.count }

  // MARK: Staging

  /// Puts the step's message in the line.
  @inlinable
  public func stage(_ id: OutletID, _ step: inout OutletStep) {
    let number = Int(id.row)
    guard number >= 0, rows[number].generation == id.generation else { return }
    guard rows[number].burst == step.from, step.round == round else { return stageElsewhere(number, &step) }
    rows[number].burst = step.to
    if !rows[number].isListed { list(number) }
  }

  @usableFromInline
  func stageElsewhere(_ number: Int, _ step: inout OutletStep) {
    if step.round != round {
      step.others.removeAll()
      step.round = round
    }
    makeRoom(for: step.message.readableBytes, in: number)
    let from = rows[number].burst
    let to = step.others[from] ?? bursts.append(step.message, to: from)
    step.others[from] = to
    (step.from, step.to) = (from, to)
    set(number, to)
  }

  /// Puts a message for this line alone in it.
  func stage(_ number: Int, _ message: ByteBuffer) {
    makeRoom(for: message.readableBytes, in: number)
    set(number, bursts.append(message, to: rows[number].burst))
  }

  private func set(_ number: Int, _ burst: Int32) {
    rows[number].burst = burst
    if !rows[number].isListed { list(number) }
  }

  @usableFromInline
  func list(_ number: Int) {
    rows[number].isListed = true
    listed.append(Int32(truncatingIfNeeded: number))
  }

  private func makeRoom(for count: Int, in number: Int) {
    let staged = bursts.sizeBytes(of: rows[number].burst)
    if staged > 0, staged + count > Self.coalescedBytesMax { release(number) }
  }

  /// Drops what is staged.
  func discard(_ number: Int) { rows[number].burst = 0 }

  // MARK: Sending

  /// Sends what the line has been told.
  func flush(_ number: Int) {
    release(number)
    flushChannel(number)
  }

  /// Sends what all lines have been told.
  public func flush() {
    guard !isPassing else { return }
    isPassing = true
    while listed.count > 0 {
      listed.exchange(with: passing)
      pass()
      passing.removeAll()
    }
    isPassing = false
    guard !bursts.isEmpty else { return }
    bursts.removeAll()
    round &+= 1
  }

  /// Sends to the lines of ``passing``. Whoever is called meanwhile may stage more and end lines.
  private func pass() {
    var next = 0
    while next < passing.count {
      let number = Int(passing[next])
      next += 1
      rows[number].isListed = false
      let burst = rows[number].burst
      guard burst != 0, isClear(number) else {
        flush(number)
        continue
      }
      // Lines with the same to send mostly stand together.
      let bytes = bursts.bytes(of: burst)
      let rest = bytes.withUnsafeReadableBytes { bytes in
        var rest = send(bytes, to: number)
        while rest == nil, next < passing.count {
          let number = Int(passing[next])
          guard rows[number].burst == burst, rows[number].isClear else { break }
          next += 1
          rows[number].isListed = false
          rest = send(bytes, to: number)
        }
        return rest
      }
      if let rest { sendRest(of: bytes, from: rest, number: Int(passing[next - 1])) }
    }
  }

  /// Sends what is staged, or puts it in the channel.
  func release(_ number: Int) {
    let burst = rows[number].burst
    guard burst != 0 else { return }
    let bytes = bursts.bytes(of: burst)
    guard isClear(number) else {
      rows[number].burst = 0
      return write(bytes, number)
    }
    let rest = bytes.withUnsafeReadableBytes { send($0, to: number) }
    if let rest { write(bytes.getSlice(at: bytes.readerIndex + rest, length: bytes.readableBytes - rest), number) }
  }

  /// - Returns: how many bytes the socket took when it did not take all.
  @inline(__always)
  private func send(_ bytes: UnsafeRawBufferPointer, to number: Int) -> Int? {
    let sent = DirectSend.send(bytes, to: rows[number].descriptor)
    rows[number].burst = 0
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

  /// Something was put in the channel, and is not flushed: what follows stands behind it.
  func wroteToChannel(_ number: Int) {
    rows[number].isClear = false
    rows[number].needsFlush = true
    if !rows[number].isListed { list(number) }
  }

  /// Returns true when the socket may be given bytes: nothing waits in the channel before them.
  func isClear(_ number: Int) -> Bool {
    guard rows[number].descriptor >= 0 else { return false }
    if !rows[number].isClear { rows[number].isClear = channels[number]?.waitingBytes == 0 }
    return rows[number].isClear
  }

  func sentAt(_ number: Int) -> Int32 { rows[number].sentAt }

  /// Bytes that were sent past the channel since this was last asked.
  func takeDirectBytes(_ number: Int) -> Int {
    defer { rows[number].directBytes = 0 }
    return rows[number].directBytes
  }
}
