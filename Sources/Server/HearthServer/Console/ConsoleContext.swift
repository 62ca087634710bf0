import HearthConsole
import HearthDatabase
import HearthGateway
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// A request of the console's page, with the services and the event loop that its operation uses.
struct ConsoleContext: Sendable {
  let responder: ConsoleResponder
  let call: ConsoleCall
  let loop: TransportLoop

  var console: Console { responder.console }
  var services: GatewayServices { responder.services }

  /// Returns the query parameters of a request with a session. The page sends `peek=1` with requests that it repeats
  /// automatically; they do not extend the session.
  func pageParameters() throws(ConsoleFailure) -> [String: String] {
    guard let parameters = call.parameters else { throw .badQuery }
    _ = try session(isUse: parameters["peek"] != "1")
    return parameters
  }

  /// Returns the session of the request.
  ///
  /// - Parameter isUse: true for a user's action, which postpones the idle timeout.
  func session(isUse: Bool = true) throws(ConsoleFailure) -> ConsoleSession {
    guard let session = console.session(call, isUse: isUse) else { throw .noSession }
    return session
  }

  /// Returns the name if the database exists.
  ///
  /// - Throws: a 404 for any other name.
  func known(_ name: String?) throws(ConsoleFailure) -> String {
    guard let name, Namespace.isValid(name), services.databases.exists(name) else {
      throw ConsoleFailure(.notFound, "Unknown database.")
    }
    return name
  }

  /// Returns an existing database, and opens it when necessary.
  func opened(_ name: String?) -> EventLoopFuture<Database> {
    do throws(ConsoleFailure) {
      return services.databases.database(try known(name), .never, on: loop.eventLoop)
    } catch {
      return loop.eventLoop.makeFailedFuture(error)
    }
  }

  /// Returns an existing database, and opens it when necessary.
  func database(_ name: String?) async throws(ConsoleFailure) -> Database {
    do { return try await opened(name).get() } catch { throw error as? ConsoleFailure ?? .unavailable }
  }
}

extension ConsoleContext {
  /// Returns the result of work that reads data, on a thread that may wait for the disk.
  ///
  /// - Throws: `unavailable` when data cannot be read, and the errors of the work.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ConsoleFailure) -> Value
  ) async throws(ConsoleFailure) -> Value {
    try await BlockingThread.run { () throws(ConsoleFailure) in
      let (result, faults) = FaultScope.run(.install) { Result { () throws(ConsoleFailure) in try work() } }
      guard faults.failed == 0 else { throw .unavailable }
      return try result.get()
    }
  }
}
