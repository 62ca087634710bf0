import Foundation
import HearthEngine
import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Accounts with keys, cheap hashes and fake providers, called by an administrator.
struct AdminFixture: Sendable {
  let accountsFixture: AccountsFixture
  let directory: AccountsDirectory
  var accounts: Accounts { directory.own }
  private let announced = AnnouncedRevocations()

  private final class AnnouncedRevocations: Sendable {
    let revocations = Mutex<[Revocation]>([])
    let events = Mutex<[AuditEvent.Kind]>([])
  }

  /// The revocations so far.
  var revocations: [Revocation] { announced.revocations.withLock { $0 } }

  /// The causes of the revocations.
  var revocationEvents: [AuditEvent.Kind] { announced.events.withLock { $0 } }

  init(
    seed: UInt64 = 1, keys: KeyStore? = nil, mailer: (any Mailer)? = nil,
    providers: [any SignInProvider] = [FakePassword(), FakeAnonymous(), FakeFacebook()],
    interleaved: InterleavedWork? = nil,
    configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws {
    accountsFixture = AccountsFixture(seed: seed)
    var configuration = AccountsConfiguration(projectID: "demo-test", publicURL: "https://auth.example.com")
    configuration.passwordCost = .developer
    configuration.passwordSlots = 2
    configure(&configuration)
    let (announced, accountsFixture) = (announced, accountsFixture)
    var environment = accountsFixture.environment
    if let interleaved {
      environment.random = RandomBytes { (count) throws(RandomnessError) in
        interleaved.runBlocking()
        return try accountsFixture.random.bytes(count)
      }
    }
    let accounts = Accounts(
      configuration: configuration, store: try accountsFixture.store(),
      keys: KeyRing(store: try keys ?? Self.sharedKeys.get(), projectID: "demo-test", random: accountsFixture.random),
      plugins: PluginSet(providers: providers, mailer: mailer), environment: environment,
      onRevocation: { revocation, event in
        announced.revocations.withLock { $0.append(revocation) }
        return announced.events.withLock { events in
          events.append(event)
          return UInt64(events.count)
        }
      })
    directory = AccountsDirectory(accounts)
  }

  /// A common key folder for tests that do not change keys, because making RSA keys takes long.
  private static let sharedKeys = Result { try newKeys() }

  static func newKeys() throws -> KeyStore {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-admin-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    KeyFolders.removeAtExit(folder)
    let store = try KeyStore(directory: folder.appendingPathComponent("keys").path)
    try store.makeKeys()
    return store
  }

  // MARK: Calls

  func call(
    _ body: String, administrator: String? = "root", isFromLoopback: Bool = false, address: String = "192.0.2.1"
  ) throws -> IdentityCall {
    guard let json = JSON(parsing: body.utf8) else { throw BadJSON(text: body) }
    return IdentityCall(
      body: json, authority: administrator.map(Authority.administrator) ?? .signedOut,
      client: accountsFixture.client(address),
      now: accountsFixture.now,
      isFromLoopback: isFromLoopback)
  }

  struct BadJSON: Error { var text: String }

  func create(_ body: String) async throws -> JSON { try await UserEndpoints(accounts: accounts).create(call(body)) }
  func update(_ body: String) async throws -> JSON { try await UserEndpoints(accounts: accounts).update(call(body)) }
  func lookup(_ body: String) async throws -> JSON { try await UserEndpoints(accounts: accounts).lookup(call(body)) }
  func administrate(_ operation: String, _ body: String = "{}") async throws -> JSON {
    try await perform(operation, call(body))
  }

  /// Performs an operation.
  ///
  /// - Parameter operation: The path after `/hearth/v1/`.
  func perform(_ operation: String, _ call: IdentityCall) async throws(AccountError) -> JSON {
    let path = "/hearth/v1/" + operation
    guard let row = IdentityRouter.match(method: "POST", path: path, host: "localhost")?.operation,
      case .call(let perform) = row.handler, case .permission(let permission) = row.requirement
    else { throw AccountError(.internalError) }
    guard call.authority.allows(permission) else {
      throw AccountError(call.authority.administratorName == nil ? .unauthenticated : .permissionDenied)
    }
    return try await perform(accounts, call)
  }

  func user(_ uid: String) -> UserRecord? { accounts.store.view.user(uid) }

  /// Returns the error code of a refused call, or nil when it succeeded.
  func refusal(_ body: () async throws -> JSON) async throws -> String? {
    do {
      _ = try await body()
      return nil
    } catch let error as AccountError {
      return error.message
    }
  }

  /// Waits until all scheduled mails are sent.
  func finishMails() async {
    accountsFixture.runScheduled(within: AccountsContext.codeDelayMilliseconds)
    await accounts.context.codeQueue.idle()
    await accounts.context.server.mails.idle()
  }

  /// Returns true when a sign-in with that password succeeds.
  func canSignIn(_ email: String, _ password: String) async throws -> Bool {
    do {
      _ = try await accounts.signIn.passwords.signIn(
        email: email, password: password, client: accountsFixture.client(), now: accountsFixture.now)
      return true
    } catch {
      guard error.code == .invalidLoginCredentials else { throw error }
      return false
    }
  }

  func idToken(_ uid: String) async throws -> String {
    guard let user = user(uid) else { throw AccountError(.userNotFound) }
    return try await accounts.sessions.refreshable.start(
      of: AuthenticatedUser(user, .password), client: accountsFixture.client(), now: accountsFixture.now
    ).tokens.idToken
  }

  /// Returns an assertion like those of Google's client libraries.
  func assertion(
    _ account: JSON, scope: String = "https://www.googleapis.com/auth/firebase.database", at seconds: Int64? = nil,
    jti: String = "1"
  ) throws -> String {
    let issued = seconds ?? accountsFixture.nowSeconds
    let email = account["email"]?.string ?? ""
    guard let key = RSAKey(privatePEM: Array((account["key"]?["private_key"]?.string ?? "").utf8)) else {
      throw BadJSON(text: "no private key")
    }
    return try SignedToken.rs256(
      claims: [
        .init("iss", .string(email)), .init("scope", .string(scope)),
        .init("aud", .string("https://oauth2.googleapis.com/token")), .init("iat", .int(issued)),
        .init("exp", .int(issued + 3_600)), .init("jti", .string(jti)),
      ],
      keyID: account["keyID"]?.string ?? "", key: key)
  }
}

/// The key folders of all tests. Key changes write to them, so they are removed when the process ends.
private enum KeyFolders {
  private static let made = Mutex<[URL]>([])

  private static let cleaner: Int32 = atexit {
    for folder in KeyFolders.made.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
  }

  static func removeAtExit(_ folder: URL) {
    _ = cleaner
    made.withLock { $0.append(folder) }
  }
}

/// A mailer that keeps the mails.
final class FakeMailer: Mailer {
  private let sent = Mutex<[MailMessage]>([])
  var messages: [MailMessage] { sent.withLock { $0 } }
  func send(_ message: MailMessage) async throws { sent.withLock { $0.append(message) } }
}

/// A provider that accepts any password of at least six characters.
struct FakePassword: SignInProvider {
  let manifest = ProviderManifest(id: "password", displayName: "Password", methods: [.password, .emailLink])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    let (email, password) = (request.parameters["email"] ?? "", request.parameters["password"] ?? "")
    if request.operation != .signIn, password == "refused-by-policy" {
      return .refused(SignInRefusal(.passwordRequirements, "too common"))
    }
    return .password(PasswordProof(email: email, password: password))
  }
}

struct FakeAnonymous: SignInProvider {
  let manifest = ProviderManifest(id: "anonymous", displayName: "Anonymous", methods: [.anonymous])
  func answer(_ request: SignInRequest) async throws -> SignInAnswer { .anonymous }
}

/// A provider that accepts the token `good`, of a user with the ID 42.
struct FakeFacebook: SignInProvider {
  let manifest = ProviderManifest(id: "facebook.com", displayName: "Facebook", methods: [.credential])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard request.parameters["access_token"] == "good" else {
      return .refused(SignInRefusal(.invalidCredential, "not a token for this app"))
    }
    var identity = ForeignIdentity(rawID: "42", email: "zoe@example.com", isEmailVerified: true)
    identity.displayName = "Zoë"
    return .identity(identity)
  }
}

extension IdentityCall {
  /// Returns the same call with an additional member.
  func adding(_ name: String, _ value: JSON) -> IdentityCall {
    with(.object((body.members ?? []) + [JSON.Member(name, value)]))
  }
}
