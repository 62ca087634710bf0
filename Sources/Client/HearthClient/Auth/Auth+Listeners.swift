import Dispatch
import Foundation

/// The handle that ``Auth/removeStateDidChangeListener(_:)`` takes.
public typealias AuthStateDidChangeListenerHandle = any NSObjectProtocol & Sendable
/// The handle that ``Auth/removeIDTokenDidChangeListener(_:)`` takes.
public typealias IDTokenDidChangeListenerHandle = any NSObjectProtocol & Sendable

/// A listener for changes of the user or the ID token, with the state that it was last called with.
final class AuthListener: NSObject, Sendable {
  enum Subject: Sendable {
    /// The signed-in user.
    case user
    /// The signed-in user and the ID token.
    case token
  }

  /// The state that a listener was last called with.
  struct KnownState: Sendable, Equatable {
    var uid: String?
    var token: String?
  }

  let subject: Subject
  let block: Callback<(Auth, User?)>
  private let knownState = LockedValue<KnownState?>(nil)
  private let isRemoved = LockedValue(false)

  init(_ subject: Subject, _ block: Callback<(Auth, User?)>) {
    self.subject = subject
    self.block = block
  }

  func remove() { isRemoved.withLock { $0 = true } }

  /// Returns true when the listener does not know this state yet, and marks it as known.
  func updateKnownState(_ user: User?) -> Bool {
    let now = KnownState(uid: user?.uid, token: subject == .token ? user?.tokens.idToken : nil)
    return knownState.withLock { knownState in
      defer { knownState = now }
      return knownState != now
    }
  }

  func notify(_ auth: Auth, _ user: User?) {
    guard !isRemoved.withLock({ $0 }) else { return }
    block((auth, user))
  }
}

extension Auth {
  /// Calls `listener` with the signed-in user: at once, and then at each sign-in and sign-out.
  @discardableResult
  public func addStateDidChangeListener(
    _ listener: @escaping @isolated(any) (Auth, User?) -> Void
  ) -> AuthStateDidChangeListenerHandle {
    add(.user, listener)
  }

  /// Removes a listener.
  public func removeStateDidChangeListener(_ listenerHandle: any NSObjectProtocol) { remove(listenerHandle) }

  /// Calls `listener` with the signed-in user: at once, and then at each sign-in, sign-out and new token.
  @discardableResult
  public func addIDTokenDidChangeListener(
    _ listener: @escaping @isolated(any) (Auth, User?) -> Void
  ) -> IDTokenDidChangeListenerHandle {
    add(.token, listener)
  }

  /// Removes a listener.
  public func removeIDTokenDidChangeListener(_ listenerHandle: any NSObjectProtocol) { remove(listenerHandle) }

  /// A stream of the signed-in user: now, and then at each change. A slow reader receives only the newest one; the
  /// listener is removed when the reader's task ends.
  public var authStateChanges: AsyncStream<User?> { stream(.user) }

  /// A stream like ``authStateChanges`` that also yields at each new token.
  public var idTokenChanges: AsyncStream<User?> { stream(.token) }

  private func stream(_ subject: AuthListener.Subject) -> AsyncStream<User?> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let listener = AuthListener(subject, Callback(plain: { _, user in continuation.yield(user) }))
      continuation.onTermination = { [weak self] _ in self?.remove(listener) }
      add(listener)
    }
  }

  private func add(_ subject: AuthListener.Subject, _ block: @escaping @isolated(any) (Auth, User?) -> Void)
    -> AuthListener
  {
    let listener = AuthListener(subject, Callback(block))
    add(listener)
    return listener
  }

  private func add(_ listener: AuthListener) {
    withState { state in
      state.listeners.append(listener)
      notify(listener, state)
    }
  }

  private func remove(_ handle: any NSObjectProtocol) {
    guard let listener = handle as? AuthListener else { return }
    listener.remove()
    state.withLock { $0.listeners.removeAll { $0 === listener } }
  }

  private func notify(_ listener: AuthListener, _ state: State) {
    let user = state.user
    guard listener.updateKnownState(user) else { return }
    listener.block.executor.async(or: state.calls) { listener.notify(self, user) }
  }

  /// Notifies the listeners that do not know the state yet.
  func notifyListeners(_ state: inout State) {
    for listener in state.listeners { notify(listener, state) }
    let credential = credential(of: state.user)
    if credential != state.lastCredential {
      state.lastCredential = credential
      for listener in state.credentialListeners.values { credentialListenerQueue.add { listener(credential) } }
    }
    schedule(&state)
  }

  /// Calls a completion on the app's queue.
  func answer<Value: Sendable>(
    _ completion: (@isolated(any) (Value?, (any Error)?) -> Void)?,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    answer(callback: completion.map { Callback($0) }, work)
  }

  private func answer<Value: Sendable>(
    callback: Callback<(Value?, (any Error)?)>?, _ work: @escaping @Sendable () async throws -> Value
  ) {
    Task {
      do {
        let value = try await work()
        callback?.enqueue((value, nil), or: self.state.withLock { $0.calls })
      } catch {
        callback?.enqueue((nil, error), or: self.state.withLock { $0.calls })
      }
    }
  }

  /// Calls a completion without a result on the app's queue.
  func answer(
    _ completion: (@isolated(any) ((any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Void
  ) {
    answer(callback: completion.map { Callback($0).mapped { (outcome: (Bool?, (any Error)?)) in outcome.1 } }) {
      try await work()
      return true
    }
  }
}
