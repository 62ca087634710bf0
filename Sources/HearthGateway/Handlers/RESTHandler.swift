import HearthDatabase
import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore
import NIOHTTP1

/// Answers REST requests on one event loop.
///
/// A read is answered at once from the last durable state; a write goes through the database's mailbox like one from a
/// socket, and its answer follows when it is durable.
struct RESTHandler {
  typealias Completion = RESTResponse.Completion

  let services: GatewayServices
  let hub: LoopHub

  /// What one request is answered from.
  struct Context {
    let request: RESTRequest
    let caller: VerifiedCaller
    let origin: RequestOrigin
    let now: Instant
    let envelope: RESTEnvelope
    let abandonment: Abandonment
    /// Called once, on the loop.
    var completion: Completion
  }

  /// - Parameter completion: called once, on this loop.
  func respond(to http: HTTPRequest, completion: @escaping Completion) {
    if http.method == .OPTIONS { return completion(.preflight(http.headers)) }
    do throws(RESTFailure) {
      if http.path == Self.receiptsPath { return try receipts(http, completion: completion) }
      let query = try URLQuery(of: http)
      let envelope = try RESTEnvelope(http, query)
      respond(to: http, query, envelope) { completion(envelope.wrap($0)) }
    } catch {
      completion(RESTResponse(error))
    }
  }

  private func respond(
    to http: HTTPRequest, _ query: URLQuery, _ envelope: RESTEnvelope, completion: @escaping Completion
  ) {
    do throws(RESTFailure) {
      let request = try RESTRequest(http, query, defaultNamespace: services.defaultNamespace)
      if request.target == .health || request.target == .readiness { return completion(try health(request)) }
      let now = SystemClock.now
      let origin = services.proxies.origin(of: http)
      let caller = try caller(of: request, from: origin, now: now)
      let abandonment = http.abandonment ?? Abandonment()
      var context = Context(
        request: request, caller: caller, origin: origin, now: now, envelope: envelope, abandonment: abandonment,
        completion: completion)
      if let milliseconds = request.timeoutMilliseconds {
        let deadline = RESTDeadline(
          milliseconds: milliseconds, on: hub.loop, abandonment: abandonment, completion: completion)
        context.completion = deadline.finish
      }
      do throws(RESTFailure) { try answer(context, for: http) } catch { context.completion(RESTResponse(error)) }
    } catch {
      completion(RESTResponse(error))
    }
  }

  private func answer(_ context: Context, for http: HTTPRequest) throws(RESTFailure) {
    switch context.request.target {
    case .health, .readiness: break
    case .data(let location): try data(location, context, for: http)
    case .upload(let path): try upload(path, context)
    case .rules: try rules(context)
    case .rulesets(let id): try rulesets(id, context)
    case .setting(let setting): try settings(setting, context)
    case .denial(let trace): try denial(trace, context)
    case .coverage(let isPage): try coverage(isPage: isPage, context)
    case .databases:
      guard context.request.method.isRead else { throw .methodNotAllowed }
      let isOpen = services.isEmulator && context.origin.isFromLoopback
      guard isOpen || context.caller.principal.isAdministrator else { throw .unauthorized }
      let names = services.databases.names.map { JSON.object([.init("name", .string($0))]) }
      context.completion(RESTResponse(JSON.array(names), pretty: context.request.isPretty))
    }
  }

  private func data(_ location: Location, _ context: Context, for http: HTTPRequest) throws(RESTFailure) {
    let request = context.request
    guard !(context.caller.isSimulating && !request.method.isRead) else { throw .notServed("a simulated write") }
    if request.wantsEvents {
      // A foreign page can have a browser open streams as it can have it load images.
      return try stream(location, context, request.query, ShownPage(http) == .foreign ? .never : .byMode)
    }
    if request.method.isRead { return withReading(context) { read(location, context, $0) } }
    withDatabase(context, .byMode) { database throws(RESTFailure) in try write(location, context, database) }
  }

  private func caller(
    of request: RESTRequest, from origin: RequestOrigin, now: Instant
  ) throws(RESTFailure) -> VerifiedCaller {
    guard let credential = request.credential else { return .signedOut }
    return try caller(of: credential, from: origin, now: now)
  }

  func caller(
    of credential: RESTCredential, from origin: RequestOrigin, now: Instant
  ) throws(RESTFailure) -> VerifiedCaller {
    do throws(CallerError) {
      return try services.gate.caller(
        credential.token, override: credential.override, from: origin, now: now)
    } catch {
      throw failure(error, credential.place)
    }
  }

  /// Whether a request shows a credential that counts. Asked before a large body is read; once it is there the request is
  /// judged as any other.
  ///
  /// - Throws: what a credential that does not count is answered.
  func isSignedIn(_ http: HTTPRequest) throws(RESTFailure) -> Bool {
    guard let credential = try RESTCredential(headers: http.headers, query: try URLQuery(of: http)) else {
      return false
    }
    _ = try caller(of: credential, from: services.proxies.origin(of: http), now: SystemClock.now)
    return true
  }

  private func failure(_ error: CallerError, _ place: RESTCredential.Place) -> RESTFailure {
    switch (error, place) {
    case (.refused(.expiredToken, _), _): return .expiredToken
    case (.refused(.permissionDenied, _), _), (.refused, .bearer): return .unauthorized
    case (.refused, .auth): return .brokenToken
    case (.unavailable(let reason), _):
      services.logger.error("a credential could not be checked", metadata: ["reason": "\(reason)"])
      return RESTFailure(500, "The credential could not be checked.")
    }
  }

  /// Finds the request's database, opens it when it must be, and goes on with it on this loop.
  func withDatabase(
    _ context: Context, _ creation: DatabaseCreation,
    _ body: @escaping (Database) throws(RESTFailure) -> Void
  ) {
    find(context, creation) { database, problem in
      guard let database else { return context.completion(RESTResponse(RESTFailure(problem))) }
      do throws(RESTFailure) { try body(database) } catch { context.completion(RESTResponse(error)) }
    }
  }

  /// Finds what a read is answered from, and goes on with it on this loop. Nothing is made.
  func withReading(_ context: Context, _ body: @escaping (ReadSource) -> Void) {
    find(context, .never) { database, problem in
      if let database { return body(.database(database)) }
      guard problem == .unmade else { return context.completion(RESTResponse(RESTFailure(problem))) }
      body(.unmade(name: context.request.namespace, services.databases.firstState))
    }
  }

  /// - Parameter found: gets the database, or why there is none.
  private func find(
    _ context: Context, _ creation: DatabaseCreation,
    _ found: @escaping (Database?, DatabaseProblem?) -> Void
  ) {
    if let database = services.databases.opened(context.request.namespace) { return found(database, nil) }
    let opening = services.databases.database(context.request.namespace, creation, on: hub.loop)
    opening.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let database): found(database, nil)
      case .failure(let problem): found(nil, problem as? DatabaseProblem)
      }
    }
  }
}

extension RESTFailure {
  fileprivate init(_ problem: DatabaseProblem?) {
    switch problem {
    case .unknown, .unmade: self = .unknownDatabase
    case .tooMany, .unavailable, nil: self = .unavailable
    }
  }
}
