import HearthTree
import HearthWire

// All messages to the server go through one queue, so that the server decides each request under the credential that
// was in force when the request was made.

extension PersistentConnection {
  /// Sends a request of the owner. Without a connection the request is dropped, and the owner repeats it later.
  mutating func request(_ id: Int, _ action: Request.Action) {
    if phase == .connected { link?.sendQueue.append(.request(id: id, action)) }
  }

  // MARK: Tokens

  mutating func change(credential: String?) {
    switch phase {
    case .fetchingTokens: newerCredential = .some(credential)
    case .resting, .waiting, .opening, .greeting: tokens.credential = credential
    case .authenticating, .connected:
      tokens.credential = credential
      guard credential != link?.credential else { return }
      link?.credential = credential
      // Queued after the requests made under the previous credential: the server processes them in order.
      link?.sendQueue.append(credential.map(Link.Outgoing.authenticate) ?? .unauthenticate)
    }
  }

  mutating func change(appCheck: String?) {
    switch phase {
    case .fetchingTokens: newerAppCheck = .some(appCheck)
    case .resting, .waiting, .opening, .greeting: tokens.appCheck = appCheck
    case .authenticating, .connected:
      guard appCheck != tokens.appCheck else { return }
      tokens.appCheck = appCheck
      link?.sendQueue.append(.appCheck(appCheck))
    }
  }

  // MARK: Signing in

  /// Sends the client's statistics and credentials after the hello.
  mutating func authenticate() {
    phase = .authenticating
    if !hasReported, let counter = settings.sdkCounter { link?.sendQueue.append(.statistics(counter)) }
    hasReported = true
    link?.credential = tokens.credential
    if let credential = tokens.credential {
      link?.sendQueue.append(.authenticate(credential))
    } else {
      deliver(.credentialCleared)
    }
    if let token = tokens.appCheck { link?.sendQueue.append(.appCheck(token)) }
  }

  /// Becomes ready for requests once the server has accepted the tokens.
  mutating func becomeReady() {
    guard phase == .authenticating, let link, link.sendQueue.isEmpty, link.authRequest == nil,
      link.appCheckRequest == nil
    else { return }
    phase = .connected
    deliver(.ready)
  }

  // MARK: Sending

  /// Sends queued messages while the socket accepts them.
  mutating func pump(at now: ConnectionTime) {
    while let item = link?.sendQueue.first, link?.isWritable == true {
      link?.sendQueue.removeFirst()
      send(item, at: now)
    }
    becomeReady()
  }

  private mutating func send(_ item: Link.Outgoing, at now: ConnectionTime) {
    switch item {
    case .statistics(let counter):
      request(.stats([counter: 1]), .other, at: now)
    case .authenticate(let credential):
      let number = request(.authenticate(Request.Credential(token: credential)), .authenticate, at: now)
      link?.authRequest = number
    case .unauthenticate:
      link?.authRequest = nil
      request(.unauthenticate, .unauthenticate, at: now)
    case .appCheck(let token?):
      let number = request(.appCheck(token: token), .appCheck, at: now)
      link?.appCheckRequest = number
    case .appCheck(nil):
      link?.appCheckRequest = nil
      request(.dropAppCheck, .other, at: now)
    case .request(let id, let action):
      let number = request(action, Link.InFlight(action, id: id), at: now)
      guard case .listen = action else { return }
      link?.listens.append(number)
      link?.lastListen = number
    }
  }

  /// Sends a request, records how its reply is to be handled, and returns its number.
  @discardableResult
  private mutating func request(_ action: Request.Action, _ purpose: Link.InFlight, at now: ConnectionTime) -> Int32 {
    // Request numbers may wrap around: a request is answered long before two thousand million others are sent.
    lastNumber = lastNumber == .max ? 0 : lastNumber + 1
    link?.inFlight[lastNumber] = purpose
    link?.lastTraffic = now.monotonic
    let text = ClientMessage.request(Request(number: lastNumber, action: action)).encoded()
    act(.send(attempt: attempt, Self.frames(of: text)))
    return lastNumber
  }

  /// Returns the WebSocket text messages that carry a message: the message itself, or a count and segments of at most
  /// 16,384 UTF-16 code units. No Unicode scalar is split.
  static func frames(of text: [UInt8]) -> [[UInt8]] {
    let segments = text.withUnsafeBytes { OutboundSegments($0) }
    guard let count = segments.count else { return [text] }
    return [count] + segments.ranges.map { Array(text[$0]) }
  }
}

extension Link.InFlight {
  /// The reply handling for a request of the owner.
  fileprivate init(_ action: Request.Action, id: Int) {
    self =
      switch action {
      case .listen: .listen(id: id)
      case .get: .get(id: id)
      case .put, .merge: .write(id: id)
      default: .request(id: id)
      }
  }
}
