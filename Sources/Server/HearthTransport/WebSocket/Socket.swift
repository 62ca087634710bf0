import NIOCore

// Unchecked because all members but the constants are used on the event loop only.
/// A client's WebSocket: the handle through which messages are sent, and the channel handler behind it.
///
/// Queued messages wait until ``flush()`` and are sent in as few writes as possible. Input is validated, assembled from
/// frames, and given to the delegate.
package final class Socket: @unchecked Sendable {
  enum State {
    case open
    /// The close frame is sent; the peer's is awaited.
    case closing
    /// Input is ignored; the connection is about to end.
    case discarding
    case closed
  }

  /// The event loop that the socket belongs to.
  package let loop: TransportLoop
  /// The peer of the connection.
  let peer: Peer
  /// False for a client that would disconnect on a ping.
  private(set) var mayBePinged: Bool

  var state = State.open {
    didSet { if state != .open { outlet?.seal() } }
  }
  /// The reason why this side ended the socket.
  private var end: SocketEnd?
  /// The delegate; nil once it was notified of the end.
  var delegate: (any SocketDelegate)?
  /// The handler's context; nil before the handler is in its pipeline, and after.
  var context: ChannelHandlerContext?

  // Receiving.
  /// The received bytes that are no complete frame yet.
  var input = ByteBuffer()
  var parser: FrameParser
  var hasDelivered = false
  /// The number of messages that may still be handled in this turn.
  var turnLeft: Int
  /// True when input waits for a later turn; no more is read until then.
  var isQueued = false
  /// True when the connection is gone and its input is still to be handled.
  var isLost = false
  /// The bytes of an unfinished message at the last sweep.
  var unfinishedBytes = 0
  /// True when the channel asked for a read while the client was not taking its output.
  var isReadPaused = false
  /// True when the channel reads the client. Kept here because asking the channel is slow when all sockets are swept.
  var isReading = true

  // Sending.
  /// The outlet, for as long as the channel exists.
  package internal(set) var outlet: Outlet?

  // Times, in the loop's seconds.
  /// The time of the last input.
  var heardAt: Int32
  var isPinged = false
  /// The time when the unfinished message began; nil when there is none.
  var messageBeganAt: Int32?
  var closeBy: Int32 = .max
  /// The client's total taken bytes when it last took some, and that time.
  var drained: (bytes: Int, at: Int32)

  /// The memory that is held for the connection.
  private(set) lazy var share = MemoryShare(
    loop: loop, owner: self, isEncrypted: peer.isEncrypted, from: peer.network)

  init(loop: TransportLoop, peer: Peer, delegate: any SocketDelegate) {
    self.loop = loop
    self.peer = peer
    self.delegate = delegate
    mayBePinged = delegate.mayBePinged
    parser = FrameParser(messageBytesMax: loop.limits.messageBytesMax)
    turnLeft = loop.limits.turnMessagesMax
    heardAt = loop.now
    drained = (0, loop.now)
  }

  /// True when messages go to the client: the handshake is answered, and neither side has sent a close frame.
  package var isOpen: Bool { state == .open }

  // MARK: Sending

  /// Queues a message. Ignored when the socket is not open any more.
  package func send(_ message: OutboundMessage) {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.send(message.frame, of: message.counted) }
  }

  /// Queues complete text frames, as ``OutboundMessage/frames(_:then:of:)`` returns them.
  package func send(frames: ByteBuffer) {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.send(frames) }
  }

  /// Sends the queued messages.
  package func flush() {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.flush() }
  }

  /// Sends a control frame at once, behind the queued messages.
  func sendControl(_ frame: ByteBuffer) {
    guard state == .open else { return }
    outlet?.send(frame)
    outlet?.flush()
  }

  // MARK: Ending

  /// Sends the queued messages and a close frame. The delegate is notified afterwards.
  package func close(code: UInt16 = 1000, reason: String = "") {
    loop.eventLoop.assertInEventLoop()
    guard state == .open else { return }
    sendControl(FrameWriter.close(code: code, reason: reason))
    guard state == .open else { return }
    state = .closing
    closeBy = loop.now + Int32(loop.limits.lingerSeconds)
    finishLater(.closedByServer)
  }

  /// Responds to a breach of the protocol, and ignores further input of this client.
  func refuse(_ violation: SocketViolation) {
    guard state == .open || state == .closing else { return }
    sendControl(FrameWriter.close(code: violation.code, reason: violation.text))
    guard state != .closed else { return }
    state = .discarding
    closeBy = loop.now + Int32(loop.limits.lingerSeconds)
    input = ByteBuffer()
    parser.release()
    finish(.violation(code: violation.code, text: violation.text))
  }

  /// Responds to the peer's close frame and closes the connection.
  func answerClose(code: UInt16?) {
    guard let context else { return }
    if state == .open {
      outlet?.flush()
      let frame = code.map { FrameWriter.close(code: $0) } ?? FrameWriter.control(.close)
      context.write(wrapOutboundOut(frame), promise: nil)
    }
    guard state != .closed else { return }
    state = .discarding
    closeBy = loop.now + Int32(loop.limits.lingerSeconds)
    finish(.closedByPeer(code: code))
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
  }

  /// Ends the connection without a close frame.
  func abandon(_ end: SocketEnd) {
    guard state != .closed else { return }
    state = .closed
    endOutlet()
    input = ByteBuffer()
    finishLater(end)
    context?.close(promise: nil)
  }

  /// Ends the outlet of a channel that is closed, or about to be.
  func endOutlet() {
    outlet?.end()
    outlet = nil
  }

  /// Notifies the delegate of the end, once.
  func finish(_ end: SocketEnd) {
    unfinishedBytes = 0
    share.setInbound(0)
    guard let delegate else { return }
    self.delegate = nil
    delegate.closed(self, self.end ?? end)
  }

  /// Notifies the delegate of the end when it is not in the middle of a call to this socket.
  private func finishLater(_ end: SocketEnd) {
    if self.end == nil { self.end = end }
    loop.eventLoop.execute { self.finish(end) }
  }
}

extension Socket: OutletOwner {
  func outletIsOverfull() { abandon(.slowConsumer) }
}
