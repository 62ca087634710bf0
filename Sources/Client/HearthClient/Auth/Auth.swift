import Dispatch
import Foundation
import HearthBytes

/// The authentication of an app's user: by custom token, anonymously, with an e-mail address and a password, or with
/// the credential of another provider.
///
/// The session is kept between runs of the program: see ``AuthSessionStore``. Completions and listeners are called on
/// ``callbackQueue``, in the order of the changes.
public final class Auth: Sendable {
  struct State: Sendable {
    var endpoint: AuthEndpoint
    /// The app's session store; nil for the default one of the app and the service: in the Keychain where there is one,
    /// otherwise in a file.
    var store: (any AuthSessionStore)?
    /// True when the stored session has been read.
    var isLoaded = false
    var user: User?
    var languageCode: String?
    var tenantID: String?
    var customAuthDomain: String?
    var callbackQueue = DispatchQueue.main
    /// The serial queue on top of the app's callback queue, which keeps calls in order.
    var calls = Auth.serialQueue(on: .main)
    var listeners: [AuthListener] = []
    var credentialListeners: [Int: @Sendable (DatabaseCredential?) -> Void] = [:]
    var lastHandle = 0
    /// The credential that listeners were last called with.
    var lastCredential: DatabaseCredential?
    var refreshTask: Task<Void, Never>?
  }

  /// The app that the users belong to.
  public let app: FirebaseApp
  /// The settings for tests; never nil.
  public let settings: AuthSettings? = AuthSettings()
  let clock: any AuthClock
  private let transport: any AuthTransport
  let credentialListenerQueue = CredentialListenerQueue()
  let state: LockedValue<State>
  private static let registry = LockedValue<[ObjectIdentifier: Auth]>([:])

  /// Creates an authentication in addition to that of ``auth(app:)``.
  ///
  /// - Parameters:
  /// - store: The session store; nil for the app's own.
  /// - clock: The clock; nil for this machine's.
  package init(
    app: FirebaseApp, store: (any AuthSessionStore)? = nil, transport: any AuthTransport = URLSessionTransport.shared,
    clock: (any AuthClock)? = nil
  ) {
    self.app = app
    self.transport = transport
    self.clock = clock ?? SystemAuthClock()
    let server = app.options.authURL.flatMap { URL(string: $0) }
    state = LockedValue(State(endpoint: AuthEndpoint(base: server), store: store))
  }

  deinit { state.withLock { $0.refreshTask?.cancel() } }

  /// Returns the authentication of the default app, which is created without options when none is configured.
  public static func auth() -> Auth { auth(app: .appOrDefault()) }

  /// Returns the authentication of an app; the same object at every call.
  public static func auth(app: FirebaseApp) -> Auth {
    registry.withLock { registry in
      if let auth = registry[ObjectIdentifier(app)] { return auth }
      // Removes the objects of deleted apps as well.
      registry = registry.filter { _, auth in FirebaseApp.app(name: auth.app.name) === auth.app }
      let auth = Auth(app: app)
      registry[ObjectIdentifier(app)] = auth
      return auth
    }
  }

  /// The signed-in user; nil when signed out. A stored session of an earlier run is used.
  public var currentUser: User? { withState { $0.user } }

  /// Returns the account of the signed-in user; nil when signed out.
  public func getUserID() -> String? { currentUser?.uid }

  /// The language of mails, such as `en-GB`; nil for the project's own.
  public var languageCode: String? {
    get { state.withLock { $0.languageCode } }
    set { state.withLock { $0.languageCode = newValue } }
  }

  /// Sets the language of mails to that of the machine's user.
  public func useAppLanguage() { languageCode = Locale.preferredLanguages.first }

  /// The tenant to sign in to; nil for the project itself. At the start it is that of the stored user.
  public var tenantID: String? {
    get { withState { $0.tenantID } }
    set { withState { $0.tenantID = newValue } }
  }

  /// The host of the sign-in pages, `auth.example.com`; nil for that of the server.
  public var customAuthDomain: String? {
    get { state.withLock { $0.customAuthDomain } }
    set { state.withLock { $0.customAuthDomain = newValue } }
  }

  /// The queue on which completions and listeners are called; the main queue by default. Programs that do not run the
  /// main queue set another.
  public var callbackQueue: DispatchQueue {
    get { state.withLock { $0.callbackQueue } }
    set {
      state.withLock {
        $0.callbackQueue = newValue
        $0.calls = Self.serialQueue(on: newValue)
      }
    }
  }

  private static func serialQueue(on queue: DispatchQueue) -> DispatchQueue {
    DispatchQueue(label: "hearth.auth.callbacks", target: queue)
  }

  /// Connects to an emulator or a self-hosted server without TLS. Must be called before anything else.
  ///
  /// Passwords and tokens are sent unencrypted: for a server on another machine use ``useServer(_:)``.
  public func useEmulator(withHost host: String, port: Int) {
    guard let endpoint = AuthEndpoint(emulatorHost: host, port: port) else {
      preconditionFailure("useEmulator(withHost: \(host), port: \(port)): that is no host with a port.")
    }
    use(endpoint)
  }

  /// Connects to a self-hosted server such as `https://hearth.example.com`. Must be called before anything else.
  ///
  /// - Throws: An error for an address without TLS, unless it is on this machine.
  public func useServer(_ url: URL) throws { use(try AuthEndpoint(server: url)) }

  private func use(_ endpoint: AuthEndpoint) {
    defer { credentialListenerQueue.wait() }
    state.withLock { state in
      guard state.endpoint != endpoint else { return }
      state.endpoint = endpoint
      reload(&state)
    }
  }

  /// Changes the session store. Its stored user becomes the signed-in user.
  public func useSessionStore(_ store: any AuthSessionStore) { replaceStore(store) }

  /// - Parameter store: The store; nil for the app's own.
  func replaceStore(_ store: (any AuthSessionStore)?) {
    defer { credentialListenerQueue.wait() }
    state.withLock { state in
      state.store = store
      reload(&state)
    }
  }

  /// The account service with the current settings.
  var service: IdentityService {
    let (endpoint, language, tenant) = withState { ($0.endpoint, $0.languageCode, $0.tenantID) }
    // Self-hosted servers without configured keys accept any key, but require one.
    return IdentityService(
      endpoint: endpoint, key: app.options.apiKey ?? "hearth", languageCode: language, tenantID: tenant,
      transport: transport, now: { [clock] in clock.now })
  }

  /// The account service for requests of a user, in the user's tenant.
  func service(of user: User) -> IdentityService {
    var service = service
    service.tenantID = user.tenantID
    return service
  }
}

// MARK: The session

extension Auth {
  /// Calls the body with the state, after loading the stored session.
  func withState<Value>(_ work: (inout State) throws -> Value) rethrows -> Value {
    try state.withLock { state in
      if !state.isLoaded { load(&state) }
      return try work(&state)
    }
  }

  private func reload(_ state: inout State) {
    let wasLoaded = state.isLoaded
    (state.user, state.isLoaded) = (nil, false)
    guard wasLoaded else { return }
    load(&state)
    notifyListeners(&state)
  }

  private func load(_ state: inout State) {
    state.isLoaded = true
    // A read error is ignored here; the next write to the store reports it.
    guard let data = try? store(state).load(), let stored = StoredSession(data),
      stored.service == serviceName(state)
    else { return }
    state.user = User(record: stored.user, tokens: stored.tokens, auth: self)
    if state.tenantID == nil { state.tenantID = stored.user.tenantID }
    state.lastCredential = credential(of: state.user)
    schedule(&state)
  }

  /// Returns the name of the current service: a session is presented only to the service that issued it.
  private func serviceName(_ state: State) -> String { "\(app.options.apiKey ?? "") \(state.endpoint.name)" }

  private func store(_ state: State) -> any AuthSessionStore {
    if let store = state.store { return store }
    let name = SHA1.base64Digest(of: "\(app.name) \(serviceName(state))").filter { $0.isLetter || $0.isNumber }
    let file = FileSessionStore(url: app.storageDirectory.appendingPathComponent("auth-\(name).json"))
    #if canImport(Security)
      return KeychainSessionStore(account: "auth-\(name)", file: file)
    #else
      return file
    #endif
  }

  private func save(_ state: State) throws {
    guard let user = state.user else { return try store(state).clear() }
    let session = StoredSession(service: serviceName(state), user: user.record, tokens: user.tokens)
    do {
      try store(state).save(try session.data)
    } catch {
      if AuthErrorCode(error) == .keychainError { throw error }
      throw AuthErrorCode.keychainError.error()
    }
  }

  /// Makes the user of new tokens the signed-in user.
  func adopt(
    _ tokens: UserTokens, from service: IdentityService, isAnonymous: Bool = false
  ) async throws -> User {
    var record = try await service.lookup(tokens.idToken)
    if isAnonymous { record.isAnonymous = true }
    let user = User(record: record, tokens: tokens, auth: self)
    try adopt(user)
    return user
  }

  /// Makes a user the signed-in user.
  func adopt(_ user: User) throws {
    defer { credentialListenerQueue.wait() }
    try withState { state in
      let before = state.user
      state.user = user
      do {
        try save(state)
      } catch {
        state.user = before
        throw error
      }
      notifyListeners(&state)
    }
  }

  /// Saves a user's new tokens or properties.
  func userChanged(_ user: User) {
    defer { credentialListenerQueue.wait() }
    withState { state in
      guard state.user === user else { return }
      // The session continues when it cannot be saved; the next sign-in reports the failure.
      try? save(state)
      notifyListeners(&state)
    }
  }

  /// Signs out. The session is removed from this machine; other sessions of the user continue.
  ///
  /// - Throws: ``AuthErrorCode/keychainError`` when the stored session cannot be removed; the user is signed out
  ///   nevertheless.
  public func signOut() throws { try signOut { _ in true } }

  func signOut(onlyIf user: User) { try? signOut { $0 === user } }

  private func signOut(_ predicate: (User) -> Bool) throws {
    defer { credentialListenerQueue.wait() }
    try withState { state in
      guard let user = state.user, predicate(user) else { return }
      state.user = nil
      notifyListeners(&state)
      try save(state)
    }
  }

  /// Signs in a user object, which may belong to another app of the same project.
  ///
  /// - Throws: ``AuthErrorCode/tenantIDMismatch`` when the user belongs to another tenant than ``tenantID``.
  public func updateCurrentUser(_ user: User) async throws {
    guard user.tenantID == tenantID else { throw AuthErrorCode.tenantIDMismatch.error() }
    let copy = User(record: user.record, tokens: user.tokens, auth: self)
    try await copy.reload()
    try adopt(copy)
  }
}
