import HearthAccounts
import HearthConsole
import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthTransport
import HearthTree
import HearthWire
import NIOCore
import NIOHTTP1

/// Answers one request of the page.
struct ConsoleOperation: Sendable {
  let responder: ConsoleResponder
  let call: ConsoleCall
  let loop: TransportLoop

  var console: Console { responder.console }
  var services: GatewayServices { responder.services }

  /// Connections of one answer.
  static let connectionsMax = 1_000
  /// Listens of a connection that are explained.
  static let listensMax = 100
  /// Lines of the log of one answer.
  static let linesMax = 500

  /// A page waits no longer for a forecast; what was found until then is told.
  static let forecastSecondsMax: Int64 = 10
  /// Forecasts at a time.
  static let forecastsMax = 4
  /// Refusals that one decides again, the newest.
  static let forecastRefusalsMax = 200

  /// - Parameter name: what comes behind `/.console/api/`.
  func answer(_ name: String) -> EventLoopFuture<HTTPResponse> {
    let named = ConsoleEntry.all.filter { $0.isFor(name) }
    guard !named.isEmpty else {
      return now { () throws(ConsoleFailure) in
        _ = try session(isUse: false)
        throw .notFound
      }
    }
    // What is read as it comes is not asked for its head alone.
    let asked = call.request.method
    let entry = named.first { entry in
      guard let method = entry.method else { return true }
      if case .answer = entry.work, entry.name != Self.denialPrefix { return method == asked }
      return method == (asked == .HEAD ? .GET : asked)
    }
    guard let entry else { return notThisMethod }
    do throws(ConsoleFailure) { try check(entry.requirement) } catch {
      return now { () throws(ConsoleFailure) in throw error }
    }
    switch entry.work {
    case .now(let work): return now(work(self))
    case .later(let work): return later(work(self))
    case .answer(let work): return work(self)(name)
    }
  }

  /// Holds the request's session against what an operation needs. That puts no end off: the operation says what is a use.
  private func check(_ requirement: Requirement) throws(ConsoleFailure) {
    switch requirement {
    case .nothing, .ofItsOperations: return
    case .consoleSession: _ = try session(isUse: false)
    case .permission(let permission): try session(isUse: false).require(permission)
    // These are other interfaces' words: nothing here can show that they are met.
    case .rules, .apiKey, .emulator, .permissionOrEmulator: throw .readOnly
    }
  }

  func denialAnswer(_ name: String) -> EventLoopFuture<HTTPResponse> {
    later { () async throws(ConsoleFailure) in try await denial(name) }
  }

  private var notThisMethod: EventLoopFuture<HTTPResponse> {
    now { () throws(ConsoleFailure) in throw ConsoleFailure(.methodNotAllowed, "This method means nothing here.") }
  }

  private func now(_ work: () throws(ConsoleFailure) -> HTTPResponse) -> EventLoopFuture<HTTPResponse> {
    do throws(ConsoleFailure) {
      return loop.eventLoop.makeSucceededFuture(try work())
    } catch {
      return loop.eventLoop.makeSucceededFuture(ConsoleResponder.answer(error))
    }
  }

  private func later(
    _ work: @escaping @Sendable () async throws(ConsoleFailure) -> HTTPResponse
  ) -> EventLoopFuture<HTTPResponse> {
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task {
      await RequestContext.$id.withValue(call.request.id) {
        do throws(ConsoleFailure) {
          promise.succeed(try await work())
        } catch {
          promise.succeed(ConsoleResponder.answer(error))
        }
      }
    }
    return promise.futureResult
  }

  /// The parameters of what the page also asks by itself, again and again: with `peek=1` that is no use of the session.
  func looked() throws(ConsoleFailure) -> [String: String] {
    guard let parameters = call.parameters else { throw .badQuery }
    _ = try session(isUse: parameters["peek"] != "1")
    return parameters
  }

  func session(isUse: Bool = true) throws(ConsoleFailure) -> ConsoleSession {
    guard let session = console.session(call, isUse: isUse) else { throw .noSession }
    return session
  }
}

// MARK: - The session

extension ConsoleOperation {
  func signIn() async throws(ConsoleFailure) -> HTTPResponse {
    let (role, name, uid) = try await proof()
    do throws(RandomnessError) {
      let (session, secrets) = try console.access.open(
        role, name: name, uid: uid, at: call.authority, now: call.now.monotonicMilliseconds)
      await console.record("session \(session.id) opened: \(role.rawValue), \(name)", uid: uid, by: call.client)
      let members: [JSON.Member] = [.init("token", .string(secrets.token))] + members(of: session)
      let cookie = ConsoleHeaders.setCookie(secrets.cookie, at: call.authority, isEncrypted: call.isEncrypted)
      return ConsoleResponder.json(.object(members), headers: [(name: "Set-Cookie", value: cookie)])
    } catch {
      throw .unavailable
    }
  }

  /// Who shows a link's key, which is used up by that, or an ID token.
  private func proof() async throws(ConsoleFailure) -> (ConsoleRole, String, String?) {
    guard let body = call.body else { throw .badBody }
    switch (body["key"]?.string, body["idToken"]?.string) {
    case (let key?, nil):
      guard let found = console.access.redeem(key, now: call.now.monotonicMilliseconds) else {
        await console.recordRefusal("a link that does not count", by: call.client, now: call.now)
        throw ConsoleFailure(
          .unauthorized, "This link was used, or is older than 10 minutes. hearth console prints another.")
      }
      return (found.role, found.name, nil)
    case (nil, let token?): return try await signIn(idToken: token)
    default: throw ConsoleFailure(.badRequest, "Send the key of a link, or an idToken.")
    }
  }

  /// `POST api/session/presence` with what opens a session: this one goes on, and whoever has it is there.
  func showPresence() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    let shown: (role: ConsoleRole, name: String, uid: String?)
    do throws(ConsoleFailure) { shown = try await proof() } catch {
      // The session is as good as before.
      throw error.status == .unauthorized ? ConsoleFailure(.forbidden, error.text) : error
    }
    // A session of a link takes another link, which the operator makes, and no account: whoever is at a screen that was left
    // could have made one. A session of an account takes that account, or a link.
    guard shown.role == session.role, shown.uid == nil || session.uid == shown.uid else {
      await console.recordRefusal("presence shown by somebody else", by: call.client, now: call.now)
      throw ConsoleFailure(.forbidden, "That is not of whoever opened this session, or may do something else.")
    }
    console.access.showPresence(in: session.id, now: call.now.monotonicMilliseconds)
    await console.record(
      "session \(session.id) (\(session.name)): \(shown.name) is there", uid: session.uid, by: call.client)
    return ConsoleResponder.json(.object([]))
  }

  /// A user who signed in a moment ago, and whom an administrator gave the operator's claim.
  private func signIn(idToken: String) async throws(ConsoleFailure) -> (ConsoleRole, String, String?) {
    guard console.options.claim != nil else {
      throw ConsoleFailure(.forbidden, "Accounts do not open this console; --console-claim names the claim that does.")
    }
    let callers = services.accounts.own.sessions.callers
    do throws(AccountError) {
      let caller = try callers.caller(idToken: idToken, now: call.now)
      try callers.requireRecentSignIn(caller, now: call.now)
      if callers.isConsoleSignIn(caller), let role = console.role(of: caller.user) {
        return (role, caller.user.email ?? caller.user.uid, caller.user.uid)
      }
    } catch {
      switch error.code {
      case .credentialTooOld: throw ConsoleFailure(.unauthorized, "Sign in again: this sign-in is too long ago.")
      case .unavailable: throw .unavailable
      default: throw ConsoleFailure(.unauthorized, "The ID token does not count.")
      }
    }
    await console.recordRefusal(
      "a user without the claim, or a way to sign in that a service account could set up", by: call.client,
      now: call.now)
    throw ConsoleFailure(.forbidden, "This account may not open the console.")
  }

  private func members(of session: ConsoleSession) -> [JSON.Member] {
    [
      .init("role", .string(session.role.rawValue)), .init("name", .string(session.name)),
      .init("endsInSeconds", .int(session.endsInSeconds)), .init("idleSeconds", .int(session.idleSeconds)),
    ]
  }

  func shown() throws(ConsoleFailure) -> HTTPResponse {
    guard let parameters = call.parameters else { throw .badQuery }
    let session = try session(isUse: parameters["peek"] != "1")
    return ConsoleResponder.json(
      .object(
        members(of: session) + [
          .init("version", .string(console.version)), .init("emulator", .bool(services.isEmulator)),
        ]))
  }

  func signOut() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    console.access.end(session.id)
    await console.record("session \(session.id) ended", uid: session.uid, by: call.client)
    let cookie = ConsoleHeaders.setCookie("", at: call.authority, isEncrypted: call.isEncrypted)
    return ConsoleResponder.json(.object([]), headers: [(name: "Set-Cookie", value: cookie)])
  }
}

// MARK: - Databases

extension ConsoleOperation {
  func databases() throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    let names = services.databases.names.map { name in
      JSON.object([.init("name", .string(name)), .init("isDefault", .bool(name == services.defaultNamespace))])
    }
    return ConsoleResponder.json(.object([.init("databases", .array(names))]))
  }

  func credential() async throws(ConsoleFailure) -> HTTPResponse {
    // A page renews it by itself: nobody need be there.
    let session = try session(isUse: false)
    guard let body = call.body, let name = body["database"]?.string else {
      throw ConsoleFailure(.badRequest, "Name a database.")
    }
    let database = try known(name)
    let made: (text: String, endsInSeconds: Int64, isFirst: Bool)?
    do throws(RandomnessError) {
      made = try console.access.makeCredential(of: session.id, for: database, now: call.now.monotonicMilliseconds)
    } catch {
      throw .unavailable
    }
    guard let made else { throw .noSession }
    if made.isFirst {
      await console.record(
        "session \(session.id) (\(session.role.rawValue)) opens the database \(database)", uid: session.uid,
        by: call.client)
    }
    return ConsoleResponder.json(
      .object([.init("credential", .string(made.text)), .init("expiresInSeconds", .int(made.endsInSeconds))]))
  }

  /// The name of a database that there is.
  func known(_ name: String?) throws(ConsoleFailure) -> String {
    guard let name, Namespace.isValid(name), services.databases.exists(name) else {
      throw ConsoleFailure(.notFound, "There is no such database.")
    }
    return name
  }

  /// A database that there is, opened when it must be.
  func opened(_ name: String?) -> EventLoopFuture<Database> {
    do throws(ConsoleFailure) {
      return services.databases.database(try known(name), .never, on: loop.eventLoop)
    } catch {
      return loop.eventLoop.makeFailedFuture(error)
    }
  }

  /// The same, for who waits for it.
  func database(_ name: String?) async throws(ConsoleFailure) -> Database {
    do { return try await opened(name).get() } catch { throw error as? ConsoleFailure ?? .unavailable }
  }

  func outline() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try looked()
    let (path, page) = try OutlineQuery.read(parameters)
    let database = try await database(parameters["ns"])
    let result = await BlockingThread.run { () -> Result<Outline, Outline.Problem> in
      Result { () throws(Outline.Problem) in try Outline(database.published.root[path], page) }
    }
    switch result {
    case .success(let outline): return ConsoleResponder.json(outline.json)
    case .failure(.tooManyToOrder):
      throw ConsoleFailure(
        .badRequest,
        "This node has more than \(Outline.orderedMax) children: they are told in the order of keys, and a query over the "
          + "socket tells them in another one.")
    case .failure(.unknownChild):
      throw ConsoleFailure(.badRequest, "The child that from names is gone: begin again at the end.")
    }
  }
}
