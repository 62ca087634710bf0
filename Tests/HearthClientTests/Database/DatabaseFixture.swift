import Dispatch
import Foundation
import HearthTree
import LiveServerKit
import ServerTestKit
import Synchronization

@testable import HearthClient

/// A live server with clients.
final class DatabaseFixture: Sendable {
  /// Rules under which all clients may read and write below `open`, and nowhere else.
  static let rules = #"{"rules":{"open":{".read":true,".write":true,".indexOn":[".value","x/y"]}}}"#

  let test: TestServer
  let route: TestAddress
  private let databases = Mutex<[Database]>([])

  private init(_ test: TestServer, _ route: TestAddress) { (self.test, self.route) = (test, route) }

  static func with(
    over network: NetworkCondition = .plain, rules: String = rules, _ body: (DatabaseFixture) async throws -> Void
  ) async throws {
    try await TestServer.with(over: network, rules: rules) { test, route in
      let fixture = DatabaseFixture(test, route)
      defer { fixture.shutDown() }
      try await body(fixture)
    }
  }

  /// The address of the database over the network.
  var url: String { route.address + "/?ns=default" }

  /// Sets short delays between attempts, and fast detection of silent connections. The time to connect depends on the
  /// machine, so no read times out.
  static func configure(_ settings: inout RepositorySettings, over network: NetworkCondition) {
    settings.trust = .roots(pem: TestCertificate.certificatePEM)
    settings.connection.backOff = .init(first: 5, max: 50, factor: 1.3, jitter: 0.7, spread: 5)
    guard network.isFaulty else { return }
    (settings.connection.keepaliveInterval, settings.connection.silenceMax) = (60, 200)
    (settings.connection.openTimeout, settings.connection.helloTimeout) = (500, 500)
    settings.getTimeoutMilliseconds = .max
  }

  private func shutDown() { for database in databases.withLock({ $0 }) { database.shutDown() } }

  /// Returns a new client with its own callback queue.
  func database(
    _ credentials: any CredentialProvider = FixedCredential(nil), configure: (Database) -> Void = { _ in }
  ) -> Database {
    let name = UUID().uuidString
    FirebaseApp.configure(name: name, options: FirebaseOptions())
    let app = FirebaseApp.app(name: name) ?? .appOrDefault()
    app.delete()
    let database = Database.database(app: app, url: url, credentials: credentials)
    database.callbackQueue = DispatchQueue(label: "test")
    database.configureConnections { Self.configure(&$0, over: route.network) }
    configure(database)
    databases.withLock { $0.append(database) }
    return database
  }

  /// Returns a new client's reference to the path with access for all clients.
  func ref() -> DatabaseReference { database().reference(withPath: "open") }
}

/// A credential that never changes, or none.
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

/// Lines that blocks have written, for which a test can wait.
final class Lines: Sendable {
  private let written = Mutex<[String]>([])
  private let stream = AsyncStream<Void>.makeStream()

  var all: [String] { written.withLock { $0 } }

  func add(_ line: String) {
    written.withLock { $0.append(line) }
    stream.continuation.yield()
  }

  /// Waits for a number of lines.
  @discardableResult
  func wait(for count: Int) async -> [String] { await wait { $0.count >= count } }

  /// Waits until the lines satisfy a condition.
  @discardableResult
  func wait(until isSatisfied: ([String]) -> Bool) async -> [String] {
    var iterator = stream.stream.makeAsyncIterator()
    while !isSatisfied(all) { await iterator.next() }
    return all
  }

  /// Returns the lines and clears them.
  @discardableResult
  func take() -> [String] {
    written.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

/// Calls the overload that does not wait; in an asynchronous function the compiler would choose the asynchronous
/// overload.
func plainly<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

/// Returns the value as JSON.
func json(_ snapshot: DataSnapshot?) -> String {
  snapshot.map { String(decoding: $0.node.json(.export), as: UTF8.self) } ?? "nil"
}
