import HearthConsole
import HearthCrypto
import HearthGateway
import HearthTransport
import HearthTree
import NIOHTTP1

/// The console's endpoints for databases: their names, credentials for their sockets, and their nodes without values.
struct ConsoleDatabaseEndpoints: ConsoleEndpoints {
  let context: ConsoleContext

  func databases() throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    let names = services.databases.names.map { name in
      let isDefault = name == services.defaultNamespace
      var entry: JSON = ["name": .string(name), "isDefault": .bool(isDefault)]
      if isDefault, let path = console.rulesPath { entry["rulesPath"] = .string(path) }
      return entry
    }
    return ConsoleResponder.json(.object([.init("databases", .array(names))]))
  }

  func credential() async throws(ConsoleFailure) -> HTTPResponse {
    // A page renews it by itself, so this is no use of the session by its user.
    let session = try session(isUse: false)
    guard let body = call.body, let name = body["database"]?.string else {
      throw ConsoleFailure(.badRequest, "The database parameter is missing.")
    }
    let database = try context.known(name)
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

  func outline() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    let (path, page) = try OutlineQuery.read(parameters)
    let database = try await database(parameters["ns"])
    let result = try await context.read { () -> Result<Outline, Outline.Problem> in
      Result { () throws(Outline.Problem) in try Outline(database.published.root[path], page) }
    }
    switch result {
    case .success(let outline): return ConsoleResponder.json(outline.json)
    case .failure(.tooManyToOrder):
      throw ConsoleFailure(
        .badRequest,
        "This node has more than \(Outline.orderedMax) children, which can only be listed by key. Use a query over a "
          + "socket for another order.")
    case .failure(.unknownChild):
      throw ConsoleFailure(.badRequest, "The child in from has been deleted. Start again from the end.")
    }
  }
}
