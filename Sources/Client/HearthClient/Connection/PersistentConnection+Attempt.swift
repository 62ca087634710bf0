import HearthTree
import HearthWire

// The course of an attempt: from `resting` to an open socket, and back.

extension PersistentConnection {
  // MARK: Reasons not to connect

  mutating func interrupt(_ reason: ConnectionInterrupt, at now: ConnectionTime) {
    guard interrupts.insert(reason).inserted else { return }
    backOff.reset()
    end(at: now)
  }

  mutating func resume(_ reason: ConnectionInterrupt, at now: ConnectionTime) {
    guard interrupts.remove(reason) != nil else { return }
    schedule(at: now)
  }

  mutating func reachable(at now: ConnectionTime) {
    guard case .waiting = phase else { return }
    backOff.reset()
    begin(at: now)
  }

  // MARK: Attempts

  /// Schedules the next attempt, unless one is running or none is allowed.
  mutating func schedule(at now: ConnectionTime) {
    guard interrupts.isEmpty, phase == .resting else { return }
    let wait = backOff.next(using: &random)
    guard wait > 0 else { return begin(at: now) }
    log(.debug, "The next attempt to connect is in \(wait) ms")
    phase = .waiting(until: now.monotonic + wait)
  }

  mutating func begin(at now: ConnectionTime) {
    attempt += 1
    (newerCredential, newerAppCheck) = (nil, nil)
    phase = .fetchingTokens(since: now.monotonic)
    act(.fetchTokens(attempt: attempt, forcingRefresh: forcesRefresh))
  }

  mutating func open(with fetched: ConnectionTokens, at now: ConnectionTime) {
    guard case .fetchingTokens = phase else { return }
    tokens = fetched
    if let newerCredential { tokens.credential = newerCredential }
    if let newerAppCheck { tokens.appCheck = newerAppCheck }
    forcesRefresh = false
    phase = .opening(since: now.monotonic)
    act(.open(attempt: attempt, socketRequest))
  }

  mutating func tokensFailed(_ reason: String, at now: ConnectionTime) {
    guard case .fetchingTokens = phase else { return }
    log(.warning, "No token to connect with: \(reason)")
    fail(at: now)
  }

  mutating func opened(at now: ConnectionTime) {
    guard case .opening = phase else { return }
    link = Link(limits: settings.wire, at: now.monotonic)
    phase = .greeting(since: now.monotonic)
  }

  mutating func closed(_ reason: String, at now: ConnectionTime) {
    log(.info, "The connection to \(address.authority) ended: \(reason.forLog)")
    fail(at: now)
  }

  // MARK: Ends

  /// Ends the attempt or its connection; the next one waits for the back-off delay.
  mutating func fail(at now: ConnectionTime) {
    let wasTried = if case .opening = phase { true } else { link != nil && link?.greeted == nil }
    if wasTried, redirect != nil {
      log(.info, "Nobody answers where the server sent this client; back to \(address.authority)")
      redirect = nil
    }
    if let greeted = link?.greeted, now.monotonic - greeted >= settings.stableAfter {
      backOff.reset(spreading: true)
    } else {
      backOff.fail()
    }
    if refusals >= settings.refusedTokensMax { backOff.jumpToMax() }
    end(at: now)
    schedule(at: now)
  }

  /// Closes the socket and ends the attempt; the phase is `resting`.
  mutating func end(at now: ConnectionTime) {
    switch phase {
    case .resting, .waiting: break
    // The result of a fetch under way then belongs to an earlier attempt and is ignored.
    case .fetchingTokens: attempt += 1
    case .opening, .greeting, .authenticating, .connected:
      act(.close(attempt: attempt))
      attempt += 1
    }
    phase = .resting
    guard let lost = link else { return }
    link = nil
    // The delayed replies did arrive; only their delivery was delayed.
    for reply in lost.delayedReplies { deliver(.reply(id: reply.id, reply.status, reply.data)) }
    if lost.greeted != nil { deliver(.lost) }
  }

  // MARK: The socket's request

  var socketRequest: SocketRequest {
    let endpoint = redirect ?? address.hostAndPort
    let port = endpoint.port ?? (address.isSecure ? 443 : 80)
    var target = "\(Handshake.path)?v=\(Handshake.protocolVersion)"
    if !address.namespace.isEmpty { target += "&ns=\(PercentEncoding.encode(address.namespace))" }
    if let lastSession { target += "&ls=\(PercentEncoding.encode(lastSession))" }
    var headers = [SocketRequest.Header(name: "User-Agent", value: identification.userAgent)]
    if let appID = identification.appID { headers.append(.init(name: "X-Firebase-GMPID", value: appID)) }
    if let token = tokens.appCheck { headers.append(.init(name: "X-Firebase-AppCheck", value: token)) }
    return SocketRequest(
      host: endpoint.host, port: port, isSecure: address.isSecure, authority: endpoint.text, target: target,
      headers: headers.filter { $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
  }
}

extension String {
  /// The text for a log line: shortened, and without control characters.
  var forLog: String { utf8.count <= 500 ? printable : String(prefix(500)).printable + "…" }
}
