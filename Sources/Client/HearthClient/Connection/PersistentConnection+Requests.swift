import HearthTree
import HearthWire

// What goes to the server, in one line: so that it judges each request under the credential that was in force when it was made.

extension PersistentConnection {
  /// A request of the owner. One that comes too late for a connection is not kept: the owner asks again.
  mutating func request(_ id: Int, _ action: Request.Action) {
    if phase == .connected { link?.outbox.append(.request(id: id, action)) }
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
      // In line behind what was asked under the credential before: the server judges in that order.
      link?.outbox.append(credential.map(Link.Outgoing.authenticate) ?? .unauthenticate)
    }
  }

  mutating func change(appCheck: String?) {
    switch phase {
    case .fetchingTokens: newerAppCheck = .some(appCheck)
    case .resting, .waiting, .opening, .greeting: tokens.appCheck = appCheck
    case .authenticating, .connected:
      guard appCheck != tokens.appCheck else { return }
      tokens.appCheck = appCheck
      link?.outbox.append(.appCheck(appCheck))
    }
  }

  // MARK: Signing in

  /// The hello came: says who this is.
  mutating func authenticate() {
    phase = .authenticating
    if !hasReported, let counter = settings.sdkCounter { link?.outbox.append(.statistics(counter)) }
    hasReported = true
    link?.credential = tokens.credential
    if let credential = tokens.credential {
      link?.outbox.append(.authenticate(credential))
    } else {
      tell(.credentialCleared)
    }
    if let token = tokens.appCheck { link?.outbox.append(.appCheck(token)) }
  }

  /// Once the server has judged the tokens, requests may come.
  mutating func becomeReady() {
    guard phase == .authenticating, let link, link.outbox.isEmpty, link.authRequest == nil, link.appCheckRequest == nil
    else { return }
    phase = .connected
    tell(.ready)
  }

  // MARK: Sending

  /// Sends what is in line while the socket takes it.
  mutating func pump(at now: ConnectionTime) {
    while let item = link?.outbox.first, link?.isWritable == true {
      link?.outbox.removeFirst()
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

  /// Sends a request and notes what its answer is to; its number.
  @discardableResult
  private mutating func request(_ action: Request.Action, _ purpose: Link.InFlight, at now: ConnectionTime) -> Int32 {
    // Numbers are unique on one connection; two thousand million requests later the first ones are long answered.
    lastNumber = lastNumber == .max ? 0 : lastNumber + 1
    link?.inFlight[lastNumber] = purpose
    link?.lastTraffic = now.monotonic
    let text = ClientMessage.request(Request(number: lastNumber, action: action)).encoded()
    act(.send(attempt: attempt, Self.frames(of: text)))
    return lastNumber
  }

  /// The text messages that carry a message: itself, or a count and segments of 16,384 UTF-16 units at most. No
  /// character is cut.
  static func frames(of text: [UInt8]) -> [[UInt8]] {
    let segments = text.withUnsafeBytes { OutboundSegments($0) }
    guard let count = segments.count else { return [text] }
    return [count] + segments.ranges.map { Array(text[$0]) }
  }
}

extension Link.InFlight {
  /// What the answer to a request of the owner is to.
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
