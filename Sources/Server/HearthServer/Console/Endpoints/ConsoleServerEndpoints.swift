import HearthConsole
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthRules
import HearthTransport
import HearthTree
import Logging

/// The state of the server, its connections, and the reasons why their listens are allowed.
struct ConsoleServerEndpoints: ConsoleEndpoints {
  let context: ConsoleContext
  /// The maximum number of connections in one response.
  private static let connectionsMax = 1_000
  /// The maximum number of listens of a connection that are explained.
  private static let listensMax = 100
  /// The maximum number of log lines in one response.
  private static let linesMax = 500
  /// Responds to `GET api/now/figures?after=MILLISECONDS`: the last hour; with `step=60` the last day, a sample each
  /// minute.
  func figures() throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    guard let ring = console.figures else { throw .unavailable }
    guard let after = Int64(parameters["after"] ?? "0") else {
      throw ConsoleFailure(.badRequest, "after must be a time in milliseconds since 1970.")
    }
    guard let step = FigureRing.Step(rawValue: Int64(parameters["step"] ?? "2") ?? 0) else {
      throw ConsoleFailure(.badRequest, "step must be 2 or 60, the seconds between samples.")
    }
    return ConsoleResponder.json(ring.json(after: after, step))
  }

  /// Responds to `GET api/now/connections?ns=NAME&uid=UID&tenant=ID`: the clients of a database that are connected to
  /// this node, the newest connections first, and their number. A uid belongs to the tenant that is named beside it,
  /// else to the project.
  func connections() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    let name = try context.known(parameters["ns"])
    let (clients, count) = await services.router.clientDescriptions(
      of: name, uid: parameters["uid"], tenant: parameters["tenant"], limit: Self.connectionsMax)
    return ConsoleResponder.json(
      ["connections": .array(clients.map(\.json)), "count": .int(Int64(count))])
  }

  /// Responds to `GET api/now/listens?ns=NAME&connection=ID`: the listens of a client, and for each the rule that
  /// allows it and the data that the rule read: when that changes, the listen is decided again.
  func listens() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    guard let id = Self.connectionID(parameters["connection"]) else {
      throw ConsoleFailure(.badRequest, "connection must be the name of a connection.")
    }
    let database = try await database(parameters["ns"])
    let now = call.now.wallMilliseconds
    return ConsoleResponder.json(
      try await context.read {
        let standing = database.listens(of: id)
        let rules = standing.state.rules.withExpressions
        let shown = standing.listens.prefix(Self.listensMax).map { listen in
          Self.json(listen, rules, root: standing.state.root, nowMilliseconds: now)
        }
        return ["listens": .array(Array(shown)), "count": .int(Int64(standing.listens.count))]
      })
  }

  /// Responds to `GET api/now/log?after=NUMBER&level=LEVEL`: the newest lines of the log, and the number of the last.
  func logLines() throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    guard let level = Logger.Level(rawValue: parameters["level"] ?? "trace") else {
      let all = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ConsoleFailure(.badRequest, "level must be one of \(all).")
    }
    guard let after = UInt64(parameters["after"] ?? "0") else {
      throw ConsoleFailure(.badRequest, "after must be the number of a log line.")
    }
    let lines = console.log.lines(after: after, from: level, limit: Self.linesMax)
    let shown = lines.map { line in
      ["number": .int(Int64(clamping: line.number)), "line": JSON(parsing: line.bytes) ?? .null] as JSON
    }
    return ConsoleResponder.json(
      ["lines": .array(shown), "last": .int(Int64(clamping: console.log.last))])
  }

  /// Responds to `GET api/now/state`: the process, storage, databases, and problems.
  func state() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try pageParameters()
    guard let overview = console.overview else { throw .unavailable }
    return ConsoleResponder.json(await BlockingThread.run { overview.json })
  }

  /// Responds to `GET api/now/doctor`: the last result of `hearth doctor`; an outdated one starts a run.
  func lastExamination() throws(ConsoleFailure) -> HTTPResponse {
    _ = try pageParameters()
    return try examination(isWanted: false)
  }

  /// Responds to `POST api/now/doctor`: starts a run.
  func examine() throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    return try examination(isWanted: true)
  }

  private func examination(isWanted: Bool) throws(ConsoleFailure) -> HTTPResponse {
    guard let doctor = console.doctor else { throw .notFound }
    doctor.startIfNeeded(isWanted: isWanted)
    return ConsoleResponder.json(doctor.json)
  }

  /// Responds to `GET api/now/backups`: the newest backups of the data folder, and the one that is being made.
  func backups() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try pageParameters()
    return ConsoleResponder.json(await BlockingThread.run { console.backups.json })
  }

  /// Responds to `POST api/now/backups`: makes a backup in the folder of the last one.
  func makeBackup() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    guard call.body != nil else { throw .badBody }
    let who = "session \(session.id) (\(session.name))"
    let (console, client) = (console, call.client)
    try console.backups.start { text in await console.record("\(who): \(text)", uid: session.uid, by: client) }
    await console.record("\(who): creates a backup", uid: session.uid, by: client)
    return ConsoleResponder.json([:])
  }

  /// Responds to `POST api/now/disconnect` with `{"connection": ID}`: the client reconnects by itself, and is
  /// authenticated again.
  func disconnect() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    guard let id = Self.connectionID(call.body?["connection"]?.string) else {
      throw ConsoleFailure(.badRequest, "connection must be the name of a connection.")
    }
    guard let client = await services.router.clientDescription(id) else {
      throw ConsoleFailure(.notFound, "This connection has ended.")
    }
    await console.record(
      "session \(session.id) (\(session.name)): disconnects \(client.name), \(client.uid ?? "signed out") at \(client.address)",
      uid: session.uid, by: call.client)
    services.router.disconnectForRetry(id)
    return ConsoleResponder.json([:])
  }

  private static func connectionID(_ text: String?) -> ConnectionID? {
    guard let text, (1...16).contains(text.utf8.count) else { return nil }
    return UInt64(text, radix: 16).map { ConnectionID(rawValue: $0) }
  }

  private static func json(
    _ listen: StandingListen, _ rules: RuleSet, root: Node, nowMilliseconds: Int64
  ) -> JSON {
    var json: JSON = ["path": .string(listen.path.description)]
    if let query = listen.query { json["query"] = query.wire }
    guard !listen.principal.readsAll else { return json.appending(["readsAll": true]) }
    let request = ReadRequest(
      path: listen.path, root: root, auth: listen.principal.auth, nowMilliseconds: nowMilliseconds,
      query: listen.query)
    guard let decision = rules.traced(.read(request), stepsMax: RulesLimits.explainStepsMax) else {
      return json
    }
    let explanation = Explanation(operation: "listen", path: listen.path, decision: decision)
    return json.appending(["explanation": explanation.json])
  }
}

extension ClientDescription {
  fileprivate var name: String { String(id.rawValue, radix: 16) }

  fileprivate var json: JSON {
    [
      "id": .string(name), "kind": .string(kind.rawValue), "agent": agent.map { .string($0) } ?? .null,
      "uid": uid.map { .string($0) } ?? .null, "tenant": tenant.map { .string($0) } ?? .null,
      "readsAll": .bool(readsAll), "address": .string(address), "since": .int(sinceMilliseconds),
      "isPaused": .bool(isPaused), "sentBytes": traffic.map { .int(Int64($0.takenBytes)) } ?? .null,
      "waitingBytes": traffic.map { .int(Int64($0.waitingBytes)) } ?? .null,
    ]
  }
}
