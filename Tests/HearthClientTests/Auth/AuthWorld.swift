import Dispatch
import Foundation
import HearthTestKit
import HearthTree
import LiveServerKit
import Synchronization
import Testing

@testable import HearthClient

/// An app of a test, with its users on a live server.
struct AuthWorld {
  let test: TestServer
  let transport: CountingTransport
  let clock = ManualClock()
  let store = MemorySessionStore()
  let auth: Auth

  /// - Parameter hidesAddresses: Strangers cannot find out which addresses have accounts.
  static func with(hidesAddresses: Bool = true, _ body: (AuthWorld) async throws -> Void) async throws {
    let test = try await TestServer(rules: #"{"rules":{".read":true,".write":true}}"#) {
      $0.accounts.protectsFromEnumeration = hidesAddresses
    }
    do { try await body(AuthWorld(test)) } catch {
      await test.server.stop()
      throw error
    }
    await test.server.stop()
  }

  private init(_ test: TestServer) {
    self.test = test
    transport = CountingTransport(URLSessionTransport.shared)
    auth = Self.auth(port: test.port, store: store, transport: transport, clock: clock)
  }

  /// Another program's, or the same one's at its next start.
  func another(store: (any AuthSessionStore)? = nil) -> Auth {
    Self.auth(port: test.port, store: store ?? MemorySessionStore(), transport: transport, clock: clock)
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

/// Counts requests by operation, and can hold them.
final class CountingTransport: AuthTransport {
  private let base: any AuthTransport
  private let state = Mutex<(counts: [String: Int], held: String?)>(([:], nil))

  init(_ base: any AuthTransport) { self.base = base }

  /// - Parameter operation: `token`, `accounts:lookup`
  func count(_ operation: String) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

  /// Lets requests of that operation wait; nil lets all go on.
  func hold(_ operation: String?) { state.withLock { $0.held = operation } }

  func send(_ request: AuthRequest) async throws -> AuthAnswer {
    let operation = request.url.lastPathComponent
    state.withLock { $0.counts[operation, default: 0] += 1 }
    while state.withLock({ $0.held == operation }) { try await Task.sleep(for: .milliseconds(1)) }
    return try await base.send(request)
  }
}

/// Answers what a test says.
final class ScriptedTransport: AuthTransport {
  private let answers: @Sendable (AuthRequest) throws -> AuthAnswer

  init(_ answers: @escaping @Sendable (AuthRequest) throws -> AuthAnswer) { self.answers = answers }

  func send(_ request: AuthRequest) async throws -> AuthAnswer { try answers(request) }
}

/// Time that stands until a test moves it.
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
  /// When those wake who sleep now.
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

/// The code of the error that some work ends with; nil when it ends well.
func authCode(_ work: () async throws -> Void) async -> AuthErrorCode? {
  do {
    try await work()
    return nil
  } catch {
    return AuthErrorCode(error)
  }
}

extension AuthWorld {
  /// Waits until something is so; fails when it does not come.
  static func until(_ isSo: @Sendable () async throws -> Bool) async throws {
    try #require(try await Patience.until(isSo))
  }
}
