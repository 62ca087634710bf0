import Dispatch
import Foundation
import HearthTree
import LiveServerKit
import ServerTestKit
import Synchronization

@testable import HearthClient

/// A live server, and clients of it.
final class DatabaseWorld: Sendable {
  /// Anybody may read and write below `open`, and nobody elsewhere.
  static let rules = #"{"rules":{"open":{".read":true,".write":true,".indexOn":[".value","x/y"]}}}"#

  let test: TestServer
  let route: Route
  private let databases = Mutex<[Database]>([])

  private init(_ test: TestServer, _ route: Route) { (self.test, self.route) = (test, route) }

  static func with(
    over carrier: Carrier = .plain, rules: String = rules, _ body: (DatabaseWorld) async throws -> Void
  ) async throws {
    try await TestServer.with(over: carrier, rules: rules) { test, route in
      let world = DatabaseWorld(test, route)
      defer { world.shutDown() }
      try await body(world)
    }
  }

  /// The address of the database over the carrier.
  var url: String { route.address + "/?ns=default" }

  /// How clients of a test connect: attempts need not be spared, and where connections go silent that is noticed soon. How
  /// long it takes to get through is up to the machine, and no read is given up for it.
  static func configure(_ settings: inout RepositorySettings, over carrier: Carrier) {
    settings.trust = .roots(pem: TestCertificate.certificatePEM)
    settings.connection.backOff = .init(first: 5, max: 50, factor: 1.3, jitter: 0.7, spread: 5)
    guard carrier.isFaulty else { return }
    (settings.connection.keepaliveInterval, settings.connection.silenceMax) = (60, 200)
    (settings.connection.openTimeout, settings.connection.helloTimeout) = (500, 500)
    settings.getPatience = .max
  }

  private func shutDown() { for database in databases.withLock({ $0 }) { database.shutDown() } }

  /// Another client, with a callback queue of its own.
  func database(
    _ credentials: any CredentialProvider = FixedCredential(nil), configure: (Database) -> Void = { _ in }
  ) -> Database {
    let name = UUID().uuidString
    FirebaseApp.configure(name: name, options: FirebaseOptions())
    let app = FirebaseApp.app(name: name) ?? .appOrDefault()
    app.delete()
    let database = Database.database(app: app, url: url, credentials: credentials)
    database.callbackQueue = DispatchQueue(label: "test")
    database.configureConnections { Self.configure(&$0, over: route.carrier) }
    configure(database)
    databases.withLock { $0.append(database) }
    return database
  }

  /// The place that all may use, as another client has it.
  func ref() -> DatabaseReference { database().reference(withPath: "open") }
}

/// One credential, or none, for ever.
final class FixedCredential: CredentialProvider {
  private let credential: DatabaseCredential?
  var currentUserID: String? { credential?.userID }
  init(_ credential: DatabaseCredential?) { self.credential = credential }

  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void
  ) { completion(.success(credential)) }
  func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int { 0 }
  func removeCredentialListener(_ handle: Int) {}
  func connectionReported(_ report: CredentialReport) {}
}

/// Lines that blocks have written, to be waited for.
final class Lines: Sendable {
  private let written = Mutex<[String]>([])
  private let stream = AsyncStream<Void>.makeStream()

  var all: [String] { written.withLock { $0 } }

  func add(_ line: String) {
    written.withLock { $0.append(line) }
    stream.continuation.yield()
  }

  /// Waits until there are so many.
  @discardableResult
  func wait(for count: Int) async -> [String] {
    var iterator = stream.stream.makeAsyncIterator()
    while all.count < count { await iterator.next() }
    return all
  }

  /// Takes what there is away.
  @discardableResult
  func take() -> [String] {
    written.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

/// Calls the form that does not wait: inside an asynchronous function the other one would be meant.
func plainly<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

/// The value as JSON.
func json(_ snapshot: DataSnapshot?) -> String {
  snapshot.map { String(decoding: $0.node.json(.export), as: UTF8.self) } ?? "nil"
}
