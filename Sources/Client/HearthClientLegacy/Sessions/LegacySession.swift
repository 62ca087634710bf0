import Dispatch
import Foundation
import HearthClient
import HearthTree

/// The session of one database as in version 2: a token that the database's connection sends and the server verifies.
///
/// A stored session of an earlier run is used at once; when the server refuses it, observers are called with nil.
final class LegacySession: CredentialProvider {
  typealias Completion = Callback<(NSError?, FAuthData?)>

  /// A sign-in with a token that the server has not accepted or refused yet.
  private struct Attempt {
    var credential: LegacyCredential
    var completion: Completion?
    var cancel: Callback<NSError>?
  }

  private struct State {
    var current: LegacyCredential?
    var pending: Attempt?
    /// The cancel block of the sign-in.
    var cancel: Callback<NSError>?
    /// The number of sign-ins so far, by which a late answer to an earlier sign-in is recognised and ignored.
    var attempts = 0
    var observers: [FirebaseHandle: Callback<FAuthData?>] = [:]
    var listeners: [Int: @Sendable (DatabaseCredential?) -> Void] = [:]
    var lastHandle: UInt = 0
  }

  let service: LegacyAccountService
  private let store: any AuthSessionStore
  private let state: LockedValue<State>
  /// The serial queue on which the app's blocks are called.
  private let calls: DispatchQueue
  private let credentialListenerQueue = CredentialListenerQueue()

  init(
    root: URLComponents, directory: URL, queue: DispatchQueue,
    transport: any AuthTransport = URLSessionTransport.shared, store: (any AuthSessionStore)? = nil
  ) {
    service = LegacyAccountService(root: root, transport: transport)
    let name = FormEncoding.escape(root.string ?? "").replacing("%", with: "_")
    let store = store ?? FileSessionStore(url: directory.appendingPathComponent("session-\(name.suffix(200)).json"))
    self.store = store
    calls = DispatchQueue(label: "hearth.legacy.callbacks", target: queue)
    var stored = (try? store.load()).flatMap { try? JSONDecoder().decode(LegacyCredential.self, from: $0) }
    if let expires = stored?.expiresSeconds, expires <= Int64(Date().timeIntervalSince1970) { stored = nil }
    state = LockedValue(State(current: stored))
  }

  var authData: FAuthData? { state.withLock { $0.current.map { FAuthData($0) } } }

  // MARK: Observers

  func observe(_ block: Callback<FAuthData?>) -> FirebaseHandle {
    state.withLock { state in
      state.lastHandle += 1
      let handle = state.lastHandle
      state.observers[handle] = block
      let now = state.current.map { FAuthData($0) }
      block.executor.async(or: calls) { if self.isObserving(handle) { block(now) } }
      return handle
    }
  }

  func removeObserver(_ handle: FirebaseHandle) { state.withLock { $0.observers[handle] = nil } }

  private func isObserving(_ handle: FirebaseHandle) -> Bool { state.withLock { $0.observers[handle] != nil } }

  /// Calls a block of the app.
  func call<Input>(_ block: Callback<Input>?, _ input: Input) { block?.enqueue(input, or: calls) }

  // MARK: Signing in

  /// Signs in by a request whose answer contains a token. A later sign-in supersedes it.
  func signIn(
    _ completion: Completion?, _ request: @escaping @Sendable (LegacyAccountService) async throws -> JSON
  ) {
    let number = begin()
    Task {
      do {
        let answer = try await request(service)
        guard let credential = LegacyCredential(answer) else {
          throw FAuthenticationError.unknown.error("The server's answer has no session.")
        }
        show(credential, number, completion, cancel: nil)
      } catch {
        let error = error as NSError
        call(completion, (error, nil))
      }
    }
  }

  /// Signs in with a token, or with the database's secret.
  func signIn(token: String, _ completion: Completion?, cancel: Callback<NSError>?) {
    guard !token.isEmpty else {
      return call(completion, (FAuthenticationError.invalidArguments.error("A token is needed."), nil))
    }
    show(LegacyCredential(token: token), begin(), completion, cancel: cancel)
  }

  /// Begins a sign-in, which supersedes the previous one.
  private func begin() -> Int {
    state.withLock { state in
      preempt(&state)
      state.attempts += 1
      return state.attempts
    }
  }

  private func preempt(_ state: inout State) {
    guard let overtaken = state.pending else { return }
    state.pending = nil
    call(overtaken.completion, (Self.preempted, nil))
  }

  private static var preempted: NSError {
    FAuthenticationError.preempted.error("Another sign-in or a sign-out came after this one.")
  }

  /// Sends a credential on the connection. The sign-in succeeds when the server accepts it.
  private func show(
    _ credential: LegacyCredential, _ number: Int, _ completion: Completion?,
    cancel: Callback<NSError>?
  ) {
    defer { credentialListenerQueue.wait() }
    state.withLock { state in
      guard state.attempts == number else {
        call(completion, (Self.preempted, nil))
        return
      }
      state.pending = Attempt(credential: credential, completion: completion, cancel: cancel)
      notifyConnections(state)
    }
  }

  /// Signs out, without a request to the server.
  func signOut() {
    defer { credentialListenerQueue.wait() }
    state.withLock { state in
      preempt(&state)
      state.attempts += 1
      end(&state, because: nil)
    }
  }

  /// Signs out if the session belongs to the user.
  func signOut(uid: String) { if state.withLock({ $0.current?.uid == uid }) { signOut() } }

  private func end(_ state: inout State, because error: NSError?) {
    let (wasSignedIn, cancel) = (state.current != nil, state.cancel)
    (state.current, state.cancel) = (nil, nil)
    try? store.clear()
    if let error { call(cancel, error) }
    if wasSignedIn { notifyObservers(state) }
    notifyConnections(state)
  }

  private func notifyObservers(_ state: State) {
    let now = state.current.map { FAuthData($0) }
    for (handle, block) in state.observers.sorted(by: { $0.key < $1.key }) {
      block.executor.async(or: calls) { if self.isObserving(handle) { block(now) } }
    }
  }

  // MARK: Connections

  private func presentedCredential(_ state: State) -> DatabaseCredential? {
    let credential = state.pending?.credential ?? state.current
    return credential.map { DatabaseCredential(token: $0.token, userID: $0.uid) }
  }

  private func notifyConnections(_ state: State) {
    let credential = presentedCredential(state)
    for listener in state.listeners.values { credentialListenerQueue.add { listener(credential) } }
  }

  var currentUserID: String? { state.withLock { presentedCredential($0)?.userID } }

  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void
  ) {
    completion(.success(state.withLock { presentedCredential($0) }))
  }

  func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int {
    state.withLock { state in
      state.lastHandle += 1
      let handle = Int(state.lastHandle)
      state.listeners[handle] = listener
      return handle
    }
  }

  func removeCredentialListener(_ handle: Int) { state.withLock { $0.listeners[handle] = nil } }

  func connectionReported(_ report: CredentialReport) {
    state.withLock { state in
      switch report {
      case .accepted(let credential, let auth, let expiresSeconds):
        accept(credential.token, auth, expiresSeconds, &state)
      case .refused(let credential, let status, let reason), .revoked(let credential, let status, let reason):
        refuse(credential.token, FAuthenticationError(serverCode: status.uppercased()).error(reason), &state)
      case .cleared: break
      }
    }
  }

  private func accept(_ token: String, _ auth: JSON?, _ expiresSeconds: Int64?, _ state: inout State) {
    if let attempt = state.pending, attempt.credential.token == token {
      var credential = attempt.credential
      credential.take(auth: auth, expiresSeconds: expiresSeconds)
      (state.current, state.cancel, state.pending) = (credential, attempt.cancel, nil)
      // A session that cannot be saved, or a database secret, lasts only until the program ends.
      if credential.isToken, let kept = try? JSONEncoder().encode(credential) {
        try? store.save(kept)
      } else {
        try? store.clear()
      }
      notifyObservers(state)
      let data = FAuthData(credential)
      call(attempt.completion, (nil, data))
    } else if state.current?.token == token {
      state.current?.take(auth: auth, expiresSeconds: expiresSeconds)
    }
  }

  private func refuse(_ token: String, _ error: NSError, _ state: inout State) {
    if let attempt = state.pending, attempt.credential.token == token {
      state.pending = nil
      call(attempt.completion, (error, nil))
    } else if state.current?.token != token {
      return
    }
    // The connection has also lost the credential that it presented before.
    end(&state, because: error)
  }
}
