import HearthConsole
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthRules
import HearthTransport
import HearthTree
import Logging

/// How the server is, who is connected, and why their listens hold.
struct ConsoleServerEndpoints: ConsoleEndpoints {
  let context: ConsoleContext
  /// Connections of one answer.
  private static let connectionsMax = 1_000
  /// Listens of a connection that are explained.
  private static let listensMax = 100
  /// Lines of the log of one answer.
  private static let linesMax = 500

  /// `GET api/now/figures?after=MILLISECONDS`: the last hour; with `step=60` the last day, a sample each minute.
  func figures() throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try looked()
    guard let ring = console.figures else { throw .unavailable }
    guard let after = Int64(parameters["after"] ?? "0") else {
      throw ConsoleFailure(.badRequest, "after is a time in milliseconds since 1970.")
    }
    guard let step = FigureRing.Step(rawValue: Int64(parameters["step"] ?? "2") ?? 0) else {
      throw ConsoleFailure(.badRequest, "step is 2 or 60: the seconds between samples.")
    }
    return ConsoleResponder.json(ring.json(after: after, step))
  }

  /// `GET api/now/connections?ns=NAME&uid=UID&tenant=ID`: the clients of a database that are connected to this node, those
  /// that came last first, and how many there are. A uid is of the tenant that is named beside it, else of the project.
  func connections() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try looked()
    let name = try context.known(parameters["ns"])
    let (clients, count) = await services.router.shownClients(
      of: name, uid: parameters["uid"], tenant: parameters["tenant"], limit: Self.connectionsMax)
    return ConsoleResponder.json(
      .object([.init("connections", .array(clients.map(\.json))), .init("count", .int(Int64(count)))]))
  }

  /// `GET api/now/listens?ns=NAME&connection=ID`: what a client listens to, and for each the rule that lets it, and what
  /// of the data that rule looked at: when it changes, the listen is decided again.
  func listens() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try looked()
    guard let id = Self.connectionID(parameters["connection"]) else {
      throw ConsoleFailure(.badRequest, "connection is the name of a connection.")
    }
    let database = try await database(parameters["ns"])
    let now = call.now.wallMilliseconds
    return ConsoleResponder.json(
      await BlockingThread.run {
        let standing = database.listens(of: id)
        let rules = standing.state.rules.withExpressions
        let shown = standing.listens.prefix(Self.listensMax).map { listen in
          Self.json(listen, rules, root: standing.state.root, nowMilliseconds: now)
        }
        return .object([
          .init("listens", .array(Array(shown))), .init("count", .int(Int64(standing.listens.count))),
        ])
      })
  }

  /// `GET api/now/log?after=NUMBER&level=LEVEL`: the newest lines of the log, and the number of the last.
  func logLines() throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try looked()
    guard let level = Logger.Level(rawValue: parameters["level"] ?? "trace") else {
      let all = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ConsoleFailure(.badRequest, "level is one of \(all).")
    }
    guard let after = UInt64(parameters["after"] ?? "0") else {
      throw ConsoleFailure(.badRequest, "after is the number of a line.")
    }
    let lines = console.log.lines(after: after, from: level, limit: Self.linesMax)
    let shown = lines.map { line in
      JSON.object([
        .init("number", .int(Int64(clamping: line.number))), .init("line", JSON(parsing: line.bytes) ?? .null),
      ])
    }
    return ConsoleResponder.json(
      .object([.init("lines", .array(shown)), .init("last", .int(Int64(clamping: console.log.last)))]))
  }

  /// `GET api/now/state`: the process, storage, databases, and what there is to look at.
  func state() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try looked()
    guard let sight = console.sight else { throw .unavailable }
    return ConsoleResponder.json(await BlockingThread.run { sight.json })
  }

  /// `GET api/now/doctor`: what `hearth doctor` found last; where that is old, it looks again.
  func lastExamination() throws(ConsoleFailure) -> HTTPResponse {
    _ = try looked()
    return try examination(isWanted: false)
  }

  /// `POST api/now/doctor`: it looks now.
  func examine() throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    return try examination(isWanted: true)
  }

  private func examination(isWanted: Bool) throws(ConsoleFailure) -> HTTPResponse {
    guard let doctor = console.doctor else { throw .notFound }
    doctor.look(isWanted: isWanted)
    return ConsoleResponder.json(doctor.json)
  }

  /// `GET api/now/backups`: the newest backups of the data folder, and what is being made.
  func backups() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try looked()
    return ConsoleResponder.json(await BlockingThread.run { console.backups.json })
  }

  /// `POST api/now/backups`: makes a backup where the last one is.
  func makeBackup() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    guard call.body != nil else { throw .badBody }
    let who = "session \(session.id) (\(session.name))"
    let (console, client) = (console, call.client)
    try console.backups.start { text in await console.record("\(who): \(text)", uid: session.uid, by: client) }
    await console.record("\(who): makes a backup", uid: session.uid, by: client)
    return ConsoleResponder.json(.object([]))
  }

  /// `POST api/now/disconnect` with `{"connection": ID}`: the client comes back by itself, and is asked anew who it is.
  func disconnect() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    guard let id = Self.connectionID(call.body?["connection"]?.string) else {
      throw ConsoleFailure(.badRequest, "connection is the name of a connection.")
    }
    guard let client = await services.router.shownClient(id) else {
      throw ConsoleFailure(.notFound, "This connection has ended.")
    }
    await console.record(
      "session \(session.id) (\(session.name)): disconnects \(client.name), \(client.uid ?? "nobody") at \(client.address)",
      uid: session.uid, by: call.client)
    services.router.sendAway(id)
    return ConsoleResponder.json(.object([]))
  }

  private static func connectionID(_ text: String?) -> ConnectionID? {
    guard let text, (1...16).contains(text.utf8.count) else { return nil }
    return UInt64(text, radix: 16).map { ConnectionID(rawValue: $0) }
  }

  private static func json(
    _ listen: StandingListen, _ rules: RuleSet, root: Node, nowMilliseconds: Int64
  ) -> JSON {
    var members: [JSON.Member] = [.init("path", .string(listen.path.description))]
    if let query = listen.query { members.append(.init("query", query.wire)) }
    guard !listen.principal.readsAll else { return .object(members + [.init("readsAll", .bool(true))]) }
    let request = ReadRequest(
      path: listen.path, root: root, auth: listen.principal.auth, nowMilliseconds: nowMilliseconds,
      query: listen.query)
    guard let decision = rules.traced(.read(request), stepsMax: RulesLimits.explainStepsMax) else {
      return .object(members)
    }
    let explanation = Explanation(operation: "listen", path: listen.path, decision: decision)
    return .object(members + [.init("explanation", explanation.json)])
  }
}

extension ShownClient {
  fileprivate var name: String { String(id.rawValue, radix: 16) }

  fileprivate var json: JSON {
    .object([
      .init("id", .string(name)), .init("kind", .string(kind.rawValue)),
      .init("agent", agent.map { .string($0) } ?? .null),
      .init("uid", uid.map { .string($0) } ?? .null),
      .init("tenant", tenant.map { .string($0) } ?? .null), .init("readsAll", .bool(readsAll)),
      .init("address", .string(address)), .init("since", .int(sinceMilliseconds)), .init("isPaused", .bool(isPaused)),
      .init("sentBytes", traffic.map { .int(Int64($0.takenBytes)) } ?? .null),
      .init("waitingBytes", traffic.map { .int(Int64($0.waitingBytes)) } ?? .null),
    ])
  }
}
