import HearthTransport
import HearthWire
import NIOCore

/// A browser's connection over requests for scripts, each of which is answered when there are messages.
///
/// Used on the event loop of its session only, whichever loop a request comes on.
final class PollTransport: RetiringTransport {
  private enum State {
    case open
    /// The queued messages, and the end, are sent with the next poll.
    case ending
    case closed
  }

  /// A request that is answered when there are messages.
  private struct WaitingPoll {
    /// The flag that the client no longer waits for the response.
    var cancellation: RequestCancellation?
    /// The request's serial; nil for the request that the session began with.
    var serial: String?
    var prelude: String?
    var since: Int32
    var answer: (ByteBuffer) -> Void
  }

  let session: PollSession
  let presence: PollPresence
  private let loop: TransportLoop
  private let directory: PollDirectory
  private let limits: PollLimits
  private var state = State.open
  private var delegate: (any TransportDelegate)?
  private var waitingPoll: WaitingPoll? {
    didSet {
      let now = loop.eventLoop.now
      if let waitingPoll { presence.pollBegan(waitingPoll.cancellation, at: now) } else { presence.pollEnded(at: now) }
    }
  }
  private var outbox: PollOutbox
  /// The callbacks for when all queued messages are sent.
  private var writtenCallbacks: [@Sendable () -> Void] = []
  private var pieces: PollPieces
  /// The messages that arrived while reading was paused.
  private var unread = CircularBuffer<[UInt8]>(initialCapacity: 1)
  private var unreadBytes = 0
  private var isReading = true
  private var isQueued = false
  /// The memory that is held for the session. Its responses count for their connections.
  private lazy var share = MemoryShare(loop: loop, owner: self, isEncrypted: false)
  /// The bytes of incomplete or unread messages at the last sweep.
  private var unfinishedBytes = 0
  /// The memory counters of large queued messages.
  private var texts: [SharedText] = []
  /// The last second in which a poll arrived, or was sent messages.
  private var heardAt: Int32
  /// The second of the loop's clock in which the incomplete message began; nil when there is none.
  private var messageBeganAt: Int32?
  private var endBy: Int32 = .max

  init(_ session: PollSession, loop: TransportLoop, directory: PollDirectory) {
    self.session = session
    self.loop = loop
    presence = PollPresence(at: loop.eventLoop.now)
    self.directory = directory
    limits = directory.limits
    outbox = PollOutbox(limits: limits)
    pieces = PollPieces(limits: limits, messageBytesMax: loop.limits.messageBytesMax)
    heardAt = loop.now
  }

  // MARK: Receiving

  /// Begins the session with its first request.
  func start(_ delegate: any TransportDelegate, callback: String, answer: @escaping (ByteBuffer) -> Void) {
    self.delegate = delegate
    let prelude = PollOutbox.prelude(callback: callback, session)
    waitingPoll = WaitingPoll(serial: nil, prelude: prelude, since: loop.now, answer: answer)
    loop.add(self)
    delegate.open(over: self)
  }

  /// Takes a poll. It is answered now or later, and once.
  ///
  /// - Parameter cancellation: the request's cancellation.
  func receive(
    _ poll: PollRequest.Poll, cancellation: RequestCancellation? = nil, answer: @escaping (ByteBuffer) -> Void
  ) {
    heardAt = loop.now
    guard state == .open else {
      answer(state == .ending ? outbox.answer(isLast: true) : ByteBuffer(string: PollOutbox.close))
      if state == .ending { callWhenWritten() }
      return leave()
    }
    if let script = outbox.repeatedAnswer(to: poll.serial) { return answer(script) }
    if let waitingPoll, waitingPoll.serial == poll.serial {
      // The browser repeats a request because its first connection broke: the response to the first request gets no number.
      waitingPoll.answer(ByteBuffer())
    } else {
      answerWaitingPoll()
    }
    waitingPoll = WaitingPoll(cancellation: cancellation, serial: poll.serial, since: loop.now, answer: answer)
    do {
      deliver(try pieces.receive(poll.pieces))
    } catch {
      return abandon(.violation(code: 1008, text: error.message))
    }
    boundUnfinished()
    delegate?.finish()
    flush()
  }

  /// Ends the session, whose slot another one has taken.
  func endForReplacement() { abandon(.silent) }

  /// Ends the session, because the client's page is gone.
  func disconnect() {
    guard state == .open else { return }
    abandon(.closedByPeer(code: nil))
  }

  /// Passes on the messages of one turn; the rest waits for later ones.
  private func deliver(_ messages: [[UInt8]]) {
    var left = isReading && unread.isEmpty ? loop.limits.turnMessagesMax : 0
    for message in messages {
      guard isReading, left > 0 else {
        unread.append(message)
        unreadBytes += message.count
        continue
      }
      left -= 1
      message.withUnsafeBytes { delegate?.received($0) }
    }
    joinQueue()
  }

  func setReading(_ isReading: Bool) {
    self.isReading = isReading
    // Deferred: the delegate is in the middle of a callback.
    joinQueue()
  }

  /// The milliseconds for which the connection of a poll is not read, because its messages are not handled yet.
  var readPauseMilliseconds: Int64 { isReading ? 0 : QuotaLimits.pauseMillisecondsMin }

  private func joinQueue() {
    guard isReading, !unread.isEmpty, !isQueued else { return }
    isQueued = true
    loop.turns.join(self)
  }

  private func dropUnread() {
    unread = CircularBuffer(initialCapacity: 1)
    unreadBytes = 0
  }

  /// Counts the memory of the client's messages, and ends the session when they exceed the limit of unread bytes.
  private func boundUnfinished() {
    guard state == .open else { return }
    countUnfinished(pieces.sizeBytes + unreadBytes)
    if pieces.sizeBytes == 0 { messageBeganAt = nil } else if messageBeganAt == nil { messageBeganAt = loop.now }
    if unreadBytes > ClientSession.heldBytesMax {
      abandon(.violation(code: 1013, text: "too many unfinished messages"))
    }
  }

  private func countUnfinished(_ count: Int) {
    share.setInbound(count, arrived: max(0, count - unfinishedBytes))
    unfinishedBytes = count
  }

  /// Updates the counters of large messages after some were queued or sent.
  private func countTexts() {
    let waiting = outbox.texts
    guard !waiting.isEmpty || !texts.isEmpty else { return }
    for text in waiting { share.hold(text) }
    for text in texts { share.release(text) }
    texts = waiting
  }

  // MARK: Sending

  var messageBytesMax: Int { limits.messageBytesMax }

  func send(_ message: OutboundMessage) {
    guard state == .open else { return }
    guard message.sizeBytes <= messageBytesMax else {
      return close(code: 1009, reason: "a message is too large for this client")
    }
    outbox.append(message)
    if message.counted != nil { countTexts() }
    if outbox.waitingBytes > limits.waitingBytesMax + outbox.longestBytes { abandon(.slowConsumer) }
  }

  func send(_ message: ServerMessage) { send(OutboundMessage(message)) }

  func flush() {
    if state == .open, !outbox.isEmpty { answerWaitingPoll() }
  }

  func whenWritten(_ done: @escaping @Sendable () -> Void) {
    guard state == .open else { return }
    flush()
    if outbox.isEmpty { done() } else { writtenCallbacks.append(done) }
  }

  private func answerWaitingPoll() {
    guard let waitingPoll else { return }
    self.waitingPoll = nil
    // A client may take long to read messages; an empty response is read at once, and a page that is gone sends no more
    // polls.
    if !outbox.isEmpty || waitingPoll.prelude != nil { heardAt = loop.now }
    waitingPoll.answer(outbox.answer(prelude: waitingPoll.prelude, to: waitingPoll.serial))
    countTexts()
    if outbox.isEmpty { callWhenWritten() }
  }

  private func callWhenWritten() {
    let writtenCallbacks = writtenCallbacks
    self.writtenCallbacks = []
    for callback in writtenCallbacks { callback() }
  }

  // MARK: Ending

  func close(code: UInt16, reason: String) {
    guard state == .open else { return }
    sendEnd()
    finishLater(.closedByServer)
  }

  /// Ends this transport, because the client continues over a socket.
  func retire() {
    guard state == .open else { return }
    outbox.append(OutboundMessage(.endOfTransmission))
    delegate = nil
    sendEnd()
  }

  private func sendEnd() {
    dropUnread()
    countUnfinished(0)
    guard let waitingPoll else {
      state = .ending
      endBy = loop.now + Int32(limits.endingSecondsMax)
      return
    }
    self.waitingPoll = nil
    waitingPoll.answer(outbox.answer(prelude: waitingPoll.prelude, isLast: true))
    callWhenWritten()
    leave()
  }

  /// Ends the session without its queued messages.
  private func abandon(_ end: SocketEnd) {
    guard state != .closed else { return }
    let waitingPoll = waitingPoll
    leave()
    waitingPoll?.answer(ByteBuffer(string: PollOutbox.close))
    finishLater(end)
  }

  private func leave() {
    state = .closed
    waitingPoll = nil
    writtenCallbacks = []
    dropUnread()
    unfinishedBytes = 0
    share.end()
    texts = []
    outbox = PollOutbox(limits: limits)
    directory.remove(session.id)
    loop.remove(self)
  }

  /// Notifies the delegate when it is not in the middle of a call to this transport.
  private func finishLater(_ end: SocketEnd) {
    guard let delegate else { return }
    self.delegate = nil
    loop.eventLoop.assumeIsolated().execute { delegate.ended(end) }
  }
}

extension PollTransport: RoundRobinMember {
  func takeTurn() {
    isQueued = false
    var left = loop.limits.turnMessagesMax
    while left > 0, isReading, state == .open, let message = unread.popFirst() {
      left -= 1
      unreadBytes -= message.count
      message.withUnsafeBytes { delegate?.received($0) }
    }
    // A message may have ended the session; then it is not counted.
    if state == .open {
      countUnfinished(pieces.sizeBytes + unreadBytes)
      joinQueue()
    }
    delegate?.finish()
  }
}

extension PollTransport: TransportConnection {
  func sweep() {
    switch state {
    case .closed: break
    case .ending: if loop.now >= endBy { leave() }
    case .open:
      if let messageBeganAt, loop.now - messageBeganAt >= messageSeconds {
        return abandon(.violation(code: 1008, text: "a message was not completed in time"))
      }
      if let waitingPoll {
        if loop.now - waitingPoll.since >= Int32(limits.holdSeconds) { answerWaitingPoll() }
      } else if loop.now - heardAt >= Int32(limits.silenceSeconds) {
        abandon(.silent)
      }
    }
  }

  /// The maximum seconds of a message. A long one takes many requests, so the bytes that have arrived extend it.
  private var messageSeconds: Int32 {
    Int32(clamping: loop.limits.messageTimeoutSeconds + pieces.sizeBytes / loop.limits.bodyBytesPerSecondMin)
  }

  /// Closes the session. A client without a poll under way learns of it from its next one, which fails: the server does
  /// not wait.
  func shutDown() {
    if waitingPoll == nil { abandon(.closedByServer) } else { close(code: 1001, reason: "the server is shutting down") }
  }

  func abort() { abandon(.closedByServer) }

  func countOutbound() { share.setOutbound(outbox.waitingBytes + outbox.keptBytes) }

  func giveUpMemory() {
    guard unfinishedBytes > outbox.waitingBytes else { return abandon(.slowConsumer) }
    abandon(.violation(code: 1013, text: "too many unfinished messages"))
  }
}
