import NIOCore

/// Whoever speaks over a line out.
protocol OutletOwner: AnyObject {
  /// The client does not take what waits for it, and it is too much by now: the connection has to go.
  func outletIsOverfull()
}

/// The line out to one client: what it is sent waits until ``flush()``, or the loop's pass, and leaves in order and in as
/// few calls of the system as possible.
///
/// Used on its event loop only, from when the connection's handler has its context until ``end()``.
package final class Outlet: OutletChannel {
  private let loop: TransportLoop
  private let context: ChannelHandlerContext
  private let share: MemoryShare
  private weak var owner: (any OutletOwner)?
  /// Its row in the loop's table; nil once it has ended.
  private var row: Int?
  /// The longest part of those that wait in the channel.
  private var longestWaiting = 0

  /// - Parameter isDirect: the socket may be given bytes past the channel's handlers: none of them changes any.
  init(loop: TransportLoop, context: ChannelHandlerContext, share: MemoryShare, isDirect: Bool, owner: any OutletOwner)
  {
    self.loop = loop
    self.context = context
    self.share = share
    self.owner = owner
    row = loop.outlets.add(self, descriptor: isDirect ? DirectSend.descriptor(of: context) : -1)
  }

  /// The place where others put what several clients are told alike; ``OutletID/none`` once it has ended.
  package var id: OutletID { row.map(loop.outlets.id) ?? .none }
  /// The table of the loop's lines.
  package var table: OutletTable { loop.outlets }

  /// How much a client was sent.
  package struct Traffic: Sendable {
    /// Bytes that the system has taken since the beginning.
    package var takenBytes: Int
    /// Bytes that wait because the client does not take them.
    package var waitingBytes: Int
  }

  /// What it was sent until now.
  package var traffic: Traffic { Traffic(takenBytes: takenBytes, waitingBytes: waitingBytes) }

  // MARK: Sending

  /// Puts a message in line.
  ///
  /// - Parameter text: what a large message counts as. It is never copied, and goes through the channel, which keeps it
  ///   until its last byte is taken.
  func send(_ message: ByteBuffer, of text: SharedText? = nil) {
    guard let row, message.readableBytes > 0 else { return }
    guard let text else { return loop.outlets.stage(row, message) }
    loop.outlets.release(row)
    guard self.row != nil, makeRoom(for: message.readableBytes) else { return }
    loop.outlets.wroteToChannel(row)
    share.write(message, of: text, to: context)
  }

  /// Sends what is in line.
  func flush() { if let row { loop.outlets.flush(row) } }

  /// Sends what is in line, and calls once that and all before it is taken by the system. When the connection ends first,
  /// `done` is let go.
  func whenWritten(_ done: @escaping () -> Void) {
    guard let row else { return }
    flush()
    guard self.row != nil else { return }
    // Nearly every client takes what it is sent at once.
    if loop.outlets.isClear(row) || context.channel.isWritable && context.waitingBytes == 0 { return done() }
    // An empty write is done when those before it are.
    context.writeAndFlush(NIOAny(ByteBuffer())).assumeIsolated().whenSuccess(done)
  }

  /// Forgets what is in line.
  func discard() { if let row { loop.outlets.discard(row) } }

  /// Others tell the client nothing from now on.
  func seal() { if let row { loop.outlets.seal(row) } }

  /// The connection is closed, or about to be: nothing more is sent. To be called before the channel closes its socket, or
  /// in the same turn.
  func end() {
    guard let row else { return }
    self.row = nil
    countDirect(row)
    loop.outlets.remove(row)
  }

  // MARK: What the loop looks after

  /// When something was last sent, in the loop's seconds.
  var sentAt: Int32 { row.map(loop.outlets.sentAt) ?? loop.now }

  /// True when the client takes what it is sent.
  var isWritable: Bool { row.map(loop.outlets.isClear) == true || context.channel.isWritable }

  /// Bytes that the client has taken since the beginning.
  var takenBytes: Int {
    if let row { countDirect(row) }
    return share.written &- waitingBytes
  }

  /// Tells the connection's share of the memory what waits for the client.
  func countOutbound() {
    guard let row else { return }
    countDirect(row)
    share.setOutbound(loop.outlets.isClear(row) ? 0 : waitingBytes)
  }

  private func countDirect(_ row: Int) { share.wrotePastChannel(loop.outlets.takeDirectBytes(row)) }

  // MARK: The channel

  var waitingBytes: Int { context.waitingBytes }

  func flushChannel() { context.flush() }

  func write(_ bytes: ByteBuffer) {
    guard makeRoom(for: bytes.readableBytes) else { return }
    share.write(bytes, to: context)
  }

  /// Returns true when so many bytes more may wait.
  private func makeRoom(for count: Int) -> Bool {
    let isWritable = context.channel.isWritable
    longestWaiting = isWritable ? count : max(longestWaiting, count)
    guard isWritable || waitingBytes <= loop.limits.outboundBytesMax + longestWaiting else {
      owner?.outletIsOverfull()
      return false
    }
    return true
  }
}
