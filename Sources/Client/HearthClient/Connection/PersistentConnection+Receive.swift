import HearthTree
import HearthWire

// The handling of server messages, all of which may be hostile: unusable content is logged, and a violation of the
// framing or of a limit ends the connection.

extension PersistentConnection {
  mutating func received(_ text: [UInt8], at now: ConnectionTime) {
    link?.lastAlive = now.monotonic
    link?.lastTraffic = now.monotonic
    let message: ReceivedMessage?
    do throws(WireError) {
      message = try link?.message(completedBy: text, settings)
    } catch {
      log(
        .warning,
        "The server sent what this client cannot read, so the connection is closed: \(error.description.forLog)")
      return fail(at: now)
    }
    guard let message else { return }
    if link?.greeted == nil { receivedFirst(message, at: now) } else { received(message, at: now) }
  }

  /// Logs a line that the server causes, up to a limit, because a server could fill the log.
  private mutating func logFromServer(_ level: ConnectionLogLevel, _ text: String) {
    guard let left = link?.logLinesLeft, left > 0 else { return }
    link?.logLinesLeft = left - 1
    log(level, text.forLog)
    if left == 1 { log(level, "More that this server says over this connection is not logged") }
  }

  // MARK: Control

  /// Handles the first message: the hello, or the reason why the server refuses the connection.
  private mutating func receivedFirst(_ message: ReceivedMessage, at now: ConnectionTime) {
    switch message {
    case .hello(let hello): greeted(hello, at: now)
    case .shutdown, .reset, .error, .pong: received(message, at: now)
    case .reply, .push, .appCheckEnded, .other:
      log(.warning, "The server did not begin with a hello, so the connection is closed")
      fail(at: now)
    }
  }

  private mutating func greeted(_ hello: ServerMessage.Hello, at now: ConnectionTime) {
    link?.greeted = now.monotonic
    if !hello.session.isEmpty, hello.session.utf8.count <= 256 { lastSession = hello.session }
    if !address.isEmulator { follow(hello.host) }
    // Clamped to the year 33,658, so that computations stay within 64 bits.
    deliver(.hello(serverTimeMilliseconds: min(max(hello.milliseconds, 0), 1_000_000_000_000_000)))
    authenticate()
  }

  /// Redirects the next attempts to the host in the text, if it is a different one.
  private mutating func follow(_ text: String) {
    guard !text.isEmpty else { return }
    guard let endpoint = HostAndPort(text) else {
      return logFromServer(.warning, "The server names a host that is none: \(text)")
    }
    let usual = address.isSecure ? 443 : 80
    let configured = address.hostAndPort
    let isConfigured = endpoint.host == configured.host && (endpoint.port ?? usual) == (configured.port ?? usual)
    redirect = isConfigured ? nil : endpoint
  }

  private mutating func received(_ message: ReceivedMessage, at now: ConnectionTime) {
    switch message {
    case .hello: logFromServer(.warning, "The server greets a second time")
    case .shutdown(let text):
      log(.warning, "The server refuses this client, which will not come back while this process runs: \(text.forLog)")
      interrupt(.shutDown, at: now)
    case .reset(let host):
      log(.info, "The server sends this client to \(host.forLog)")
      follow(host)
      backOff.reset(spreading: true)
      end(at: now)
      schedule(at: now)
    case .error(let text): logFromServer(.warning, "The server reports an error: \(text)")
    case .pong: break
    case .reply(let number, let status, let data): reply(number, status, data, at: now)
    case .push(let push): self.push(push, at: now)
    case .appCheckEnded(let status, let text):
      tokens.appCheck = nil
      logFromServer(.warning, "The server no longer accepts the App Check token: \(status.rawValue) \(text)")
    case .other(let what): logFromServer(.warning, "The server sent \(what)")
    }
  }

  // MARK: Replies

  private mutating func reply(
    _ number: Int32, _ status: Status, _ data: ReceivedMessage.ReplyData, at now: ConnectionTime
  ) {
    guard let purpose = link?.inFlight.removeValue(forKey: number) else {
      return logFromServer(.debug, "The server answers request \(number), which has its answer or never was")
    }
    switch purpose {
    case .other: break
    case .unauthenticate: deliver(.credentialCleared)
    case .authenticate: authenticated(number, refusal(status, data), data, at: now)
    case .appCheck:
      if link?.appCheckRequest == number { link?.appCheckRequest = nil }
      if let refusal = refusal(status, data) {
        logFromServer(.warning, "App Check: \(refusal.status.rawValue) \(refusal.text)")
      }
    case .listen(let id):
      deliver(.reply(id: id, status, data))
      release()
    case .write(let id): answer(id, status, data)
    case .get(let id), .request(let id): deliver(.reply(id: id, status, data))
    }
  }

  private func refusal(_ status: Status, _ data: ReceivedMessage.ReplyData) -> ServerRefusal? {
    status == .ok ? nil : ServerRefusal(status: status, text: data.text)
  }

  /// Handles the answer to a write: reports it once all earlier listens have their data. Reported earlier, the app
  /// would still see the data from before the write.
  private mutating func answer(_ id: Int, _ status: Status, _ data: ReceivedMessage.ReplyData) {
    if link?.oldestListen() != nil, let last = link?.lastListen {
      link?.delayedReplies.append(Link.DelayedReply(id: id, status: status, data: data, listen: last))
    } else {
      deliver(.reply(id: id, status, data))
    }
  }

  private mutating func release() {
    while let reply = link?.delayedReplies.first {
      if let oldest = link?.oldestListen(), oldest <= reply.listen { return }
      link?.delayedReplies.removeFirst()
      deliver(.reply(id: reply.id, reply.status, reply.data))
    }
  }

  // MARK: Credentials

  private mutating func authenticated(
    _ number: Int32, _ refusal: ServerRefusal?, _ data: ReceivedMessage.ReplyData, at now: ConnectionTime
  ) {
    // A newer credential has been sent, so the server's answer about this one is outdated.
    guard link?.authRequest == number else { return }
    link?.authRequest = nil
    guard let refusal else {
      refusals = 0
      if case .json(let claims) = data { deliver(.authenticated(claims)) }
      return
    }
    deliver(.credentialRefused(refusal))
    if refusal.status != .expiredToken { refusals += 1 }
    log(.warning, "The server refuses the credential: \(refusal.status.rawValue.forLog) \(refusal.text.forLog)")
    if refusals == settings.refusedTokensMax {
      log(
        .warning,
        "\(refusals) credentials were refused in a row; check that the app's accounts are those that the database trusts"
      )
    }
    renew(at: now)
  }

  /// Fetches a fresh credential for the next attempt, because the current one is invalid.
  private mutating func renew(at now: ConnectionTime) {
    tokens.credential = nil
    forcesRefresh = true
    fail(at: now)
  }

  // MARK: Pushes

  private mutating func push(_ push: Push, at now: ConnectionTime) {
    switch push {
    case .put(let path, let node, let tag): deliver(.put(Location(pushed: path), node, tag: tag))
    case .merge(_, let changes, _) where changes.isEmpty: break
    case .merge(let path, let changes, let tag):
      deliver(.merge(path, changes.map { (Location(pushed: $0.path), $0.node) }, tag: tag))
    case .ranges(let path, let ranges, let tag): deliver(.ranges(path, ranges, tag: tag))
    case .cancel(let path, let query): cancelled(path, query)
    case .authenticationEnded(let status, let text):
      // The expiry of a credential is normal, so it is not logged as a warning.
      deliver(.credentialRevoked(ServerRefusal(status: status, text: text)))
      renew(at: now)
    case .debug(let text): logFromServer(.info, "The server says: \(text)")
    }
  }

  private mutating func cancelled(_ path: Path, _ wire: JSON?) {
    guard let wire else { return deliver(.cancel(path, nil)) }
    guard let query = try? Query(wire: wire) else {
      return logFromServer(.warning, "The server cancels a query that cannot be read")
    }
    deliver(.cancel(path, query))
  }
}

extension Location {
  /// Reads a pushed path: a last key `.priority` stands for the priority of its parent.
  fileprivate init(pushed path: Path) {
    let isPriority = path.keys.last == ".priority"
    self.init(path: isPriority ? path.prefix(path.count - 1) : path, isPriority: isPriority)
  }
}
