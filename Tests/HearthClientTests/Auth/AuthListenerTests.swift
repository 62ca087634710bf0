import Foundation
import LiveServerKit
import Synchronization
import Testing

@testable import HearthClient

@Suite struct AuthListenerTests {
  @Test("a state listener is called with the user at once and at each change; a token listener also at each new token")
  func listeners() async throws {
    let auth = AuthFixture.auth(port: 1, transport: ScriptedTransport(FakeService().answer))
    let (states, tokens) = (ReceivedValues(), ReceivedValues())
    let stateHandle = auth.addStateDidChangeListener { auth, user in states.add(auth, user) }
    let tokenHandle = auth.addIDTokenDidChangeListener { auth, user in tokens.add(auth, user) }
    let user = try await auth.createUser(withEmail: "ada@example.com", password: "secret1").user
    _ = try await user.getIDToken(forcingRefresh: true)
    try await user.reload()
    try auth.signOut()
    try auth.signOut()
    try await auth.signIn(withEmail: "ada@example.com", password: "secret1")
    try await states.wait(for: 4)
    try await tokens.wait(for: 5)
    #expect(states.uids == [nil, "u", nil, "u"])
    #expect(tokens.uids == [nil, "u", "u", nil, "u"])
    auth.removeStateDidChangeListener(stateHandle)
    auth.removeIDTokenDidChangeListener(tokenHandle)
    try auth.signOut()
    auth.callbackQueue.sync {}
    #expect(states.uids.count == 4 && tokens.uids.count == 5)
  }

  @Test("a removed listener is not called, not even for pending changes", arguments: NetworkCondition.reliable)
  func removed(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let queue = DispatchQueue(label: "held")
      fixture.auth.callbackQueue = queue
      let received = ReceivedValues()
      queue.suspend()
      let handle = fixture.auth.addStateDidChangeListener { auth, user in received.add(auth, user) }
      try await fixture.auth.signInAnonymously()
      fixture.auth.removeStateDidChangeListener(handle)
      queue.resume()
      queue.sync {}
      #expect(received.uids.isEmpty)
    }
  }

  @Test(
    "a stream has the present state first, then the newest, and removes its listener at its end",
    arguments: NetworkCondition.reliable)
  func stream(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let auth = fixture.auth
      try await auth.signIn(withCustomToken: "uid:ada")
      let reader = Task {
        var uids: [String?] = []
        for await user in auth.authStateChanges {
          uids.append(user?.uid)
          if uids.count == 1 { try auth.signOut() } else { break }
        }
        return uids
      }
      #expect(try await reader.value == ["ada", nil])
      try await AuthFixture.until { auth.state.withLock { $0.listeners.isEmpty } }
      let cancelled = Task { for await _ in auth.idTokenChanges {} }
      try await AuthFixture.until { !auth.state.withLock { $0.listeners.isEmpty } }
      cancelled.cancel()
      await cancelled.value
      try await AuthFixture.until { auth.state.withLock { $0.listeners.isEmpty } }
    }
  }
}

/// The values that a listener received.
private final class ReceivedValues: Sendable {
  private let received = Mutex<[String?]>([])

  var uids: [String?] { received.withLock { $0 } }

  func add(_ auth: Auth, _ user: User?) { received.withLock { $0.append(user?.uid) } }

  func wait(for count: Int) async throws { try await AuthFixture.until { uids.count >= count } }
}
