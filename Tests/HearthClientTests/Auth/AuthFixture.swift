import Dispatch
import Foundation
import HearthServer
import HearthTestKit
import HearthTree
import LiveServerKit
import ServerTestKit
import Synchronization
import Testing

@testable import HearthClient

/// An app of a test, with its users on a live server.
struct AuthFixture {
  static let rules = #"{"rules":{".read":true,".write":true}}"#

  let test: TestServer
  let route: TestAddress
  let transport: CountingTransport
  let clock = ManualClock()
  let store = MemorySessionStore()
  let auth: Auth

  /// Runs `body` with an app.
  ///
  /// - Parameters:
  ///   - hidesAddresses: True when clients cannot find out which addresses have accounts.
  ///   - configure: Further settings of the server.
  static func with(
    over network: NetworkCondition = .plain, rules: String = rules, hidesAddresses: Bool = true,
    configure: (inout HearthServer.Options) -> Void = { _ in }, _ body: (AuthFixture) async throws -> Void
  ) async throws {
    try await TestServer.with(over: network, rules: rules) {
      $0.accounts.protectsFromEnumeration = hidesAddresses
      configure(&$0)
    } _: { test, route in
      try await body(AuthFixture(test, route))
    }
  }

  private init(_ test: TestServer, _ route: TestAddress) throws {
    self.test = test
    self.route = route
    transport = CountingTransport(
      route.network.isSecure ? CertificateTransport() as any AuthTransport : URLSessionTransport.shared)
    auth = Self.auth(port: test.port, store: store, transport: transport, clock: clock)
    try auth.useServer(Self.url(route))
  }

  /// Returns the client of another program, or of this one after a restart.
  func another(store: (any AuthSessionStore)? = nil) throws -> Auth {
    let auth = Self.auth(
      port: test.port, store: store ?? MemorySessionStore(), transport: transport, clock: clock)
    try auth.useServer(Self.url(route))
    return auth
  }

  private static func url(_ route: TestAddress) throws -> URL { try #require(URL(string: route.address)) }

  /// Returns a client of the server's database with a user's credentials.
  func database(_ credentials: any CredentialProvider) -> Database {
    let database = Database.database(
      app: Self.app(), url: route.address + "/?ns=default", credentials: credentials)
    database.callbackQueue = DispatchQueue(label: "test")
    database.configureConnections { DatabaseFixture.configure(&$0, over: route.network) }
    return database
  }

  static func app(_ options: FirebaseOptions = FirebaseOptions()) -> FirebaseApp {
    let name = UUID().uuidString
    FirebaseApp.configure(name: name, options: options)
    let app = FirebaseApp.app(name: name)
    app?.delete()
    return app ?? .appOrDefault()
  }

  static func auth(
    port: Int, store: any AuthSessionStore = MemorySessionStore(),
    transport: any AuthTransport = URLSessionTransport.shared, clock: ManualClock = ManualClock()
  ) -> Auth {
    let auth = Auth(app: app(), store: store, transport: transport, clock: clock)
    auth.callbackQueue = DispatchQueue(label: "test")
    auth.useEmulator(withHost: "127.0.0.1", port: port)
    return auth
  }
}

/// A transport that trusts the tests' certificate.
struct CertificateTransport: AuthTransport {
  func send(_ request: AuthRequest) async throws -> AuthAnswer {
    do {
      let answer = try await HTTPSRequests.send(
        request.method, to: request.url, headers: request.headers, body: request.body)
      return AuthAnswer(status: answer.status, body: answer.body)
    } catch {
      throw AuthErrorCode.networkError.error()
    }
  }
}

/// A transport that counts requests by operation, and can delay them.
final class CountingTransport: AuthTransport {
  private let base: any AuthTransport
  private let state = Mutex<(counts: [String: Int], held: String?)>(([:], nil))

  init(_ base: any AuthTransport) { self.base = base }

  /// Returns the number of requests.
  ///
  /// - Parameter operation: An operation such as `token` or `accounts:lookup`.
  func count(_ operation: String) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

  /// Delays requests of that operation; nil releases all.
  func hold(_ operation: String?) { state.withLock { $0.held = operation } }

  func send(_ request: AuthRequest) async throws -> AuthAnswer {
    let operation = request.url.lastPathComponent
    state.withLock { $0.counts[operation, default: 0] += 1 }
    while state.withLock({ $0.held == operation }) { try await Task.sleep(for: .milliseconds(1)) }
    return try await base.send(request)
  }
}

/// A transport with answers from the test.
final class ScriptedTransport: AuthTransport {
  private let answers: @Sendable (AuthRequest) throws -> AuthAnswer

  init(_ answers: @escaping @Sendable (AuthRequest) throws -> AuthAnswer) { self.answers = answers }

  func send(_ request: AuthRequest) async throws -> AuthAnswer { try answers(request) }
}

/// A clock that only the test advances.
final class ManualClock: AuthClock {
  private struct Sleeper {
    var until: Date
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Date(timeIntervalSince1970: 1_800_000_000)
    var sleepers: [Int: Sleeper] = [:]
    var lastID = 0
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  var now: Date { state.withLock { $0.now } }
  /// The wake-up times of current sleepers.
  var wakes: [Date] { state.withLock { $0.sleepers.values.map(\.until).sorted() } }

  func advance(seconds: TimeInterval) {
    let woken = state.withLock { state in
      state.now += seconds
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  func sleep(seconds: TimeInterval) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.withLock { state in
          guard state.cancelled.remove(id) == nil else { return true }
          state.sleepers[id] = Sleeper(until: state.now + seconds, continuation: continuation)
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        if let sleeper = state.sleepers.removeValue(forKey: id) { return Optional(sleeper) }
        state.cancelled.insert(id)
        return nil
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}

/// Returns the code of the error that the work throws, or nil when it succeeds.
func authCode(_ work: () async throws -> Void) async -> AuthErrorCode? {
  do {
    try await work()
    return nil
  } catch {
    return AuthErrorCode(error)
  }
}

extension AuthFixture {
  /// Returns a signed-in user with a verified address.
  func verifiedUser(_ email: String = "ada@example.com") async throws -> User {
    let user = try await auth.createUser(withEmail: email, password: "secret1").user
    try await user.sendEmailVerification()
    let link = try await test.mailer.link(.verifyEmail)
    try await auth.applyActionCode(try #require(ActionCodeURL(link: link)?.code))
    try await user.reload()
    try #require(user.isEmailVerified)
    return user
  }

  /// Waits until a condition is true; fails after a timeout.
  static func until(_ isSo: @Sendable () async throws -> Bool) async throws {
    try #require(try await Polling.until(isSo))
  }
}
