import NIOCore

// Unchecked because everything but the constants is touched on the event loop only.
/// One client's WebSocket: the handle that messages are sent through, and the channel handler behind it.
///
/// Messages that are sent wait until ``flush()`` and leave in as few writes as possible. What arrives is validated,
/// put together from frames, and given to the delegate.
package final class Socket: @unchecked Sendable {
  enum State {
    case open
    /// Goodbye is said; the peer's goodbye is awaited.
    case closing
    /// What arrives is no longer looked at; the connection is about to end.
    case discarding
    case closed
  }

  /// The place where it lives.
  package let loop: TransportLoop
  /// Who is at the other end.
  let peer: Peer
  /// False for a client that a ping would kill.
  private(set) var mayBePinged: Bool

  var state = State.open {
    didSet { if state != .open { outlet?.seal() } }
  }
  /// The reason why this side ended the conversation.
  private var end: SocketEnd?
  /// The conversation; nil once it was told of the end.
  var delegate: (any SocketDelegate)?
  /// nil before the handler is in its pipeline, and after.
  var context: ChannelHandlerContext?

  // Receiving.
  /// What came and is no whole frame yet.
  var input = ByteBuffer()
  var parser: FrameParser
  var hasDelivered = false
  /// Messages that may still be handled in this turn.
  var turnLeft: Int
  /// What came before is to be handled in a later turn, and until then nothing more is read.
  var isInLine = false
  /// The connection is gone; what it brought before is still to be handled.
  var isLost = false
  /// Bytes of an unfinished message at the last look.
  var unfinishedBytes = 0
  /// A read that the channel asked for while the client was not taking what it is sent.
  var isReadHeld = false
  /// True when the client is read: what the channel was told. Asking the channel is dear when all sockets are looked
  /// at.
  var isReading = true

  // Sending.
  /// The line out, for as long as the channel is there.
  package internal(set) var outlet: Outlet?

  // Times, in the loop's seconds.
  /// The time when something last came.
  var heardAt: Int32
  var isPinged = false
  /// The time when the message began that is not complete; nil when there is none.
  var messageBeganAt: Int32?
  var closeBy: Int32 = .max
  /// What the client had taken when it last took something, and when that was.
  var drained: (bytes: Int, at: Int32)

  /// What is held for the connection.
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

  /// True when what is sent goes to the client: the handshake is answered, and nobody said goodbye.
  package var isOpen: Bool { state == .open }

  // MARK: Sending

  /// Puts a message in line. Nothing happens on a socket that is not open any more.
  package func send(_ message: OutboundMessage) {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.send(message.frame, of: message.counted) }
  }

  /// Puts whole text frames in line, as ``OutboundMessage/frames(_:then:of:)`` gives them.
  package func send(frames: ByteBuffer) {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.send(frames) }
  }

  /// Sends what is in line.
  package func flush() {
    loop.eventLoop.assertInEventLoop()
    if state == .open { outlet?.flush() }
  }

  /// Sends a control frame at once, behind what is in line.
  func sendControl(_ frame: ByteBuffer) {
    guard state == .open else { return }
    outlet?.send(frame)
    outlet?.flush()
  }

  // MARK: Ending

  /// Sends what is in line and says goodbye. The delegate is told afterwards.
  package func close(code: UInt16 = 1000, reason: String = "") {
    loop.eventLoop.assertInEventLoop()
    guard state == .open else { return }
    sendControl(FrameWriter.close(code: code, reason: reason))
    guard state == .open else { return }
    state = .closing
    closeBy = loop.now + Int32(loop.limits.lingerSeconds)
    finishLater(.closedByServer)
  }

  /// Answers a breach of the protocol, and looks at nothing more from this client.
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

  /// Answers the peer's goodbye and closes the connection.
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

  /// Ends the connection without another word.
  func abandon(_ end: SocketEnd) {
    guard state != .closed else { return }
    state = .closed
    endOutlet()
    input = ByteBuffer()
    finishLater(end)
    context?.close(promise: nil)
  }

  /// The channel is closed, or about to be.
  func endOutlet() {
    outlet?.end()
    outlet = nil
  }

  /// Tells the delegate, once.
  func finish(_ end: SocketEnd) {
    unfinishedBytes = 0
    share.setInbound(0)
    guard let delegate else { return }
    self.delegate = nil
    delegate.closed(self, self.end ?? end)
  }

  /// Tells the delegate when it is not in the middle of a call to this socket.
  private func finishLater(_ end: SocketEnd) {
    if self.end == nil { self.end = end }
    loop.eventLoop.execute { self.finish(end) }
  }
}

extension Socket: OutletOwner {
  func outletIsOverfull() { abandon(.slowConsumer) }
}
