import Dispatch
import Foundation
import Synchronization

/// What ``Auth/removeStateDidChangeListener(_:)`` takes.
public typealias AuthStateDidChangeListenerHandle = any NSObjectProtocol & Sendable
/// What ``Auth/removeIDTokenDidChangeListener(_:)`` takes.
public typealias IDTokenDidChangeListenerHandle = any NSObjectProtocol & Sendable

/// Who is told of users, and what they know.
final class AuthListener: NSObject, Sendable {
  enum Subject: Sendable {
    /// Who is signed in.
    case user
    /// That, and the token.
    case token
  }

  /// What a listener was told.
  struct Told: Sendable, Equatable {
    var uid: String?
    var token: String?
  }

  let subject: Subject
  private let block: UncheckedCallback<(Auth, User?)>
  private let told = Mutex<Told?>(nil)
  private let isRemoved = Mutex(false)

  init(_ subject: Subject, _ block: UncheckedCallback<(Auth, User?)>) {
    self.subject = subject
    self.block = block
  }

  func remove() { isRemoved.withLock { $0 = true } }

  /// Whether this is news to the listener; it counts as told then.
  func isNews(_ user: User?) -> Bool {
    let now = Told(uid: user?.uid, token: subject == .token ? user?.tokens.idToken : nil)
    return told.withLock { told in
      defer { told = now }
      return told != now
    }
  }

  func tell(_ auth: Auth, _ user: User?) {
    guard !isRemoved.withLock({ $0 }) else { return }
    block.call((auth, user))
  }
}

/// An app's function, which need not be `Sendable`: it is called on the queue that the app chose, and nowhere else.
struct UncheckedCallback<Value>: @unchecked Sendable {
  let call: (Value) -> Void
}

extension Auth {
  /// Calls `listener` with who is signed in: at once, and then whenever somebody signs in or out.
  @discardableResult
  public func addStateDidChangeListener(
    _ listener: @escaping (Auth, User?) -> Void
  ) -> AuthStateDidChangeListenerHandle {
    add(.user, listener)
  }

  /// Ends the calls of a listener.
  public func removeStateDidChangeListener(_ listenerHandle: any NSObjectProtocol) { remove(listenerHandle) }

  /// Calls `listener` with who is signed in: at once, and then whenever somebody signs in or out, and with each new token.
  @discardableResult
  public func addIDTokenDidChangeListener(
    _ listener: @escaping (Auth, User?) -> Void
  ) -> IDTokenDidChangeListenerHandle {
    add(.token, listener)
  }

  /// Ends the calls of a listener.
  public func removeIDTokenDidChangeListener(_ listenerHandle: any NSObjectProtocol) { remove(listenerHandle) }

  /// Who is signed in: now, and then at each change. A reader that is slow sees the newest; the listener goes with the
  /// reader's task.
  public var authStateChanges: AsyncStream<User?> { stream(.user) }

  /// The same with each new token.
  public var idTokenChanges: AsyncStream<User?> { stream(.token) }

  private func stream(_ subject: AuthListener.Subject) -> AsyncStream<User?> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let listener = AuthListener(subject, UncheckedCallback { _, user in continuation.yield(user) })
      continuation.onTermination = { [weak self] _ in self?.remove(listener) }
      add(listener)
    }
  }

  private func add(_ subject: AuthListener.Subject, _ block: @escaping (Auth, User?) -> Void) -> AuthListener {
    let listener = AuthListener(subject, UncheckedCallback { block($0.0, $0.1) })
    add(listener)
    return listener
  }

  private func add(_ listener: AuthListener) {
    withState { state in
      state.listeners.append(listener)
      tell(listener, state)
    }
  }

  private func remove(_ handle: any NSObjectProtocol) {
    guard let listener = handle as? AuthListener else { return }
    listener.remove()
    state.withLock { $0.listeners.removeAll { $0 === listener } }
  }

  private func tell(_ listener: AuthListener, _ state: State) {
    let user = state.user
    guard listener.isNews(user) else { return }
    state.calls.async { listener.tell(self, user) }
  }

  /// Tells everybody to whom the state is news.
  func announce(_ state: inout State) {
    for listener in state.listeners { tell(listener, state) }
    let credential = credential(of: state.user)
    if credential != state.toldCredential {
      state.toldCredential = credential
      for listener in state.credentialListeners.values { credentialCalls.add { listener(credential) } }
    }
    schedule(&state)
  }

  /// Calls a completion where the app wants it.
  func answer<Value: Sendable>(
    _ completion: ((Value?, (any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Value
  ) {
    let callback = completion.map { completion in
      UncheckedCallback<(Value?, (any Error)?)> { completion($0.0, $0.1) }
    }
    Task {
      do {
        let value = try await work()
        self.state.withLock { $0.calls }.async { callback?.call((value, nil)) }
      } catch {
        self.state.withLock { $0.calls }.async { callback?.call((nil, error)) }
      }
    }
  }

  /// The same for work with nothing to tell but its end.
  func answer(_ completion: (((any Error)?) -> Void)?, _ work: @escaping @Sendable () async throws -> Void) {
    answer(completion.map { completion in { (_: Bool?, error: (any Error)?) in completion(error) } }) {
      try await work()
      return true
    }
  }
}
