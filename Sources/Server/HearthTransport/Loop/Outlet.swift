import NIOCore

/// The owner of an outlet.
protocol OutletOwner: AnyObject {
  /// Handles an outlet with too many bytes that the client does not read: the connection has to close.
  func outletIsOverfull()
}

/// The output of one client: queued messages wait until ``flush()``, or until the loop flushes its ``OutletTable``, and are sent in
/// order and in as few system calls as possible.
///
/// Used on its event loop only, from when the connection's handler has its context until ``end()``.
package final class Outlet: OutletChannel {
  private let loop: TransportLoop
  private let context: ChannelHandlerContext
  private let share: MemoryShare
  private weak var owner: (any OutletOwner)?
  /// The outlet's row in the loop's table; nil once it has ended.
  private var row: Int?
  /// The size of the longest part that waits in the channel.
  private var longestWaiting = 0

  /// - Parameter isDirect: true when bytes may be given to the socket past the channel's handlers, because none of them
  ///   changes any.
  init(loop: TransportLoop, context: ChannelHandlerContext, share: MemoryShare, isDirect: Bool, owner: any OutletOwner)
  {
    self.loop = loop
    self.context = context
    self.share = share
    self.owner = owner
    row = loop.outlets.add(self, descriptor: isDirect ? DirectSend.descriptor(of: context) : -1)
  }

  /// The id by which messages for several clients are queued; ``OutletID/none`` once the outlet has ended.
  package var id: OutletID { row.map(loop.outlets.id) ?? .none }
  /// The table of the loop's outlets.
  package var table: OutletTable { loop.outlets }

  /// The amounts of data that a client was sent.
  package struct Traffic: Sendable {
    /// The total bytes that the system has taken.
    package var takenBytes: Int
    /// The bytes that wait because the client does not read them.
    package var waitingBytes: Int
  }

  /// The amounts of data sent until now.
  package var traffic: Traffic { Traffic(takenBytes: takenBytes, waitingBytes: waitingBytes) }

  // MARK: Sending

  /// Queues a message.
  ///
  /// - Parameter text: the shared text that a large message counts as. It is never copied, and goes through the
  ///   channel, which keeps it until its last byte is taken.
  func send(_ message: ByteBuffer, of text: SharedText? = nil) {
    guard let row, message.readableBytes > 0 else { return }
    guard let text else { return loop.outlets.stage(row, message) }
    loop.outlets.release(row)
    guard self.row != nil, makeRoom(for: message.readableBytes) else { return }
    loop.outlets.wroteToChannel(row)
    share.write(message, of: text, to: context)
  }

  /// Sends the queued messages.
  func flush() { if let row { loop.outlets.flush(row) } }

  /// Sends the queued messages, and calls `done` once the system has taken them and all earlier ones. When the connection ends
  /// first, `done` is released without a call.
  func whenWritten(_ done: @escaping () -> Void) {
    guard let row else { return }
    flush()
    guard self.row != nil else { return }
    // Nearly every client takes its output at once.
    if loop.outlets.isClear(row) || context.channel.isWritable && context.waitingBytes == 0 { return done() }
    // An empty write is done when those before it are.
    context.writeAndFlush(NIOAny(ByteBuffer())).assumeIsolated().whenSuccess(done)
  }

  /// Drops the queued messages.
  func discard() { if let row { loop.outlets.discard(row) } }

  /// Stops messages by ``id``: from now on only the owner sends.
  func seal() { if let row { loop.outlets.seal(row) } }

  /// Ends the outlet of a connection that is closed or about to be. To be called before the channel closes its socket,
  /// or in the same turn of the loop.
  func end() {
    guard let row else { return }
    self.row = nil
    countDirect(row)
    loop.outlets.remove(row)
  }

  // MARK: Supervision by the loop

  /// The time of the last output, in the loop's seconds.
  var sentAt: Int32 { row.map(loop.outlets.sentAt) ?? loop.now }

  /// True when the client reads its output.
  var isWritable: Bool { row.map(loop.outlets.isClear) == true || context.channel.isWritable }

  /// The total bytes that the client has taken.
  var takenBytes: Int {
    if let row { countDirect(row) }
    return share.written &- waitingBytes
  }

  /// Updates the connection's memory share with the bytes that wait for the client.
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
