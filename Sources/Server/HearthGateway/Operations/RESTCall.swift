import HearthDatabase
import HearthEngine
import HearthTransport
import HearthWire
import NIOCore

/// A request under way, with its caller, its services and its completion.
///
/// A read is answered at once from the last durable state; a write goes through the database's mailbox like one from a
/// socket, and is answered when it is durable. Used on one event loop.
struct RESTCall {
  let services: GatewayServices
  let hub: LoopHub
  let request: RESTRequest
  let caller: VerifiedCaller
  let origin: RequestOrigin
  /// The time that rules see.
  var now: Instant
  let envelope: RESTEnvelope
  let cancellation: RequestCancellation
  /// The completion, called once, on the loop.
  var completion: RESTResponse.Completion

  /// Finds a database, opens it when necessary, and continues with it on this loop.
  ///
  /// - Parameter name: nil for the request's own.
  func withDatabase(
    _ creation: DatabaseCreation, named name: String? = nil, _ body: @escaping (Database) throws(RESTFailure) -> Void
  ) {
    find(name ?? request.namespace, creation) { database, problem in
      guard let database else { return completion(RESTResponse(RESTFailure(problem))) }
      do throws(RESTFailure) { try body(database) } catch { completion(RESTResponse(error)) }
    }
  }

  /// Finds the source of a read, and continues with it on this loop. Makes no database.
  func withReading(_ body: @escaping (ReadSource) -> Void) {
    find(request.namespace, .never) { database, problem in
      if let database { return whenCurrent(database) { body(.database(database)) } }
      guard problem == .notCreated else { return completion(RESTResponse(RESTFailure(problem))) }
      body(.notCreated(name: request.namespace, services.databases.firstState))
    }
  }

  /// Continues once the database's state on this server includes every commit that any client was told of before: at
  /// once, unless the database follows a log that is written elsewhere.
  private func whenCurrent(_ database: Database, _ body: @escaping () -> Void) {
    guard database.isFollowing else { return body() }
    hub.request(.barrier, as: caller.principal, of: database, id: origin.requestID) { reply in
      guard case .ok = reply else { return completion(RESTResponse(.unavailable)) }
      body()
    }
  }

  /// Finds a database.
  ///
  /// - Parameter found: called with the database, or the reason why there is none.
  private func find(
    _ name: String, _ creation: DatabaseCreation, _ found: @escaping (Database?, DatabaseProblem?) -> Void
  ) {
    if creation != .new, let database = services.databases.opened(name) { return found(database, nil) }
    let opening = services.databases.database(name, creation, on: hub.loop)
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
    case .unknown, .notCreated: self = .unknownDatabase
    case .exists: self.init(409, "A database with this name already exists.")
    case .tooMany, .unavailable, nil: self = .unavailable
    }
  }
}
