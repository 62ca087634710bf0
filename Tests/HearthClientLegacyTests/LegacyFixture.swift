import Dispatch
import Foundation
import HearthTestKit
import LiveServerKit
import ServerTestKit
import Synchronization
import Testing

@testable import HearthClient
@testable import HearthClientLegacy

/// The suite of this library's tests, serialized because the class's `goOffline` affects all clients.
@Suite(.serialized) enum LegacyTests {}

/// A server with clients of version 2 of the SDK.
struct LegacyFixture {
  let test: TestServer
  let route: TestAddress
  let ref: Firebase
  /// A client of the modern library that connects to the server directly.
  private let witness: Database

  /// The folder of settings, which apply once in a process.
  private static let folder = Result {
    let folder = try TemporaryFolder()
    let config = Firebase.defaultConfig()
    config.callbackQueue = DispatchQueue(label: "legacy.test")
    config.storageDirectory = URL(fileURLWithPath: folder.path)
    config.set { values in
      values.prepare = { $0.configureConnections(Self.configure) }
      values.transport = CertificateTransport()
    }
    return folder
  }

  /// Sets short delays between attempts, and fast detection of silent connections. The time to connect depends on the
  /// machine, so no read times out.
  private static func configure(_ settings: inout RepositorySettings) {
    settings.trust = .roots(pem: TestCertificate.certificatePEM)
    settings.connection.backOff = .init(first: 5, max: 50, factor: 1.3, jitter: 0.7, spread: 5)
    (settings.connection.keepaliveInterval, settings.connection.silenceMax) = (100, 400)
    (settings.connection.openTimeout, settings.connection.helloTimeout) = (1_000, 1_000)
    settings.getTimeoutMilliseconds = .max
  }

  static func with(
    over network: NetworkCondition = .plain, rules: String = #"{"rules":{".read":true,".write":true}}"#,
    _ body: (LegacyFixture) async throws -> Void
  ) async throws {
    _ = try folder.get()
    try await TestServer.with(over: network, rules: rules) { test, route in
      let witness = Database.database(
        app: .appOrDefault(), url: route.directAddress + "/?ns=default", credentials: Nobody())
      witness.configureConnections(configure)
      witness.callbackQueue = DispatchQueue(label: "legacy.witness")
      defer { witness.shutDown() }
      let fixture = LegacyFixture(
        test: test, route: route, ref: Firebase(url: route.address + "/?ns=default"), witness: witness)
      // Shut down for good: goOnline on all clients would otherwise reconnect those whose servers have ended.
      defer { for app in HearthClientLegacy.FirebaseApp.allApps { app.shutDown() } }
      try await body(fixture)
    }
  }

  /// Returns a separate client of the same database, under another name.
  func another(_ path: String = "") -> Firebase {
    Firebase(url: route.address(host: "localhost") + "/\(path)?ns=default")
  }

  /// Returns the server's data at a path in export form, members sorted by name.
  func stored(_ path: String) async throws -> String {
    let snapshot = try await witness.reference(withPath: path).getData()
    let value = snapshot.exists() ? snapshot.valueInExportFormat() ?? NSNull() : NSNull()
    let sorted = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
    return String(decoding: sorted, as: UTF8.self)
  }
}

/// A transport that trusts the tests' certificate for the test server, and is the usual transport for other servers.
private struct CertificateTransport: AuthTransport {
  func send(_ request: AuthRequest) async throws -> AuthAnswer {
    guard request.url.scheme == "https" else { return try await URLSessionTransport.shared.send(request) }
    let answer = try await HTTPSRequests.send(
      request.method, to: request.url, headers: request.headers, body: request.body)
    return AuthAnswer(status: answer.status, body: answer.body)
  }
}

/// The credentials of a signed-out client.
private final class Nobody: CredentialProvider {
  var currentUserID: String? { nil }
  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void
  ) { completion(.success(nil)) }
  func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int { 0 }
  func removeCredentialListener(_ handle: Int) {}
  func connectionReported(_ report: CredentialReport) {}
}

/// Waits for the call of a block.
func called<Value: Sendable>(_ work: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
  await withCheckedContinuation { continuation in work { continuation.resume(returning: $0) } }
}

/// The arguments of a block's calls.
final class Calls<Value: Sendable>: Sendable {
  private let calls = Mutex<[Value]>([])

  var all: [Value] { calls.withLock { $0 } }

  func add(_ value: Value) { calls.withLock { $0.append(value) } }

  func wait(for count: Int) async throws { try #require(try await Polling.until { all.count >= count }) }
}
