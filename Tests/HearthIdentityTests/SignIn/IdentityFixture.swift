import Foundation
import HearthEngine
import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// Accounts with fake providers, a mailer and hooks, called through the clients' interface.
final class IdentityFixture: Sendable {
  let accountsFixture: AccountsFixture
  let directory: AccountsDirectory
  var accounts: Accounts { directory.own }
  let outbox: FakeOutbox
  private let announced: AnnouncedRevocations

  private final class AnnouncedRevocations: Sendable {
    let revocations = Mutex<[Revocation]>([])
    let events = Mutex<[AuditEvent.Kind]>([])
  }

  /// The revocations so far.
  var revocations: [Revocation] { announced.revocations.withLock { $0 } }

  /// The causes of the revocations.
  var revocationEvents: [AuditEvent.Kind] { announced.events.withLock { $0 } }
  var nowSeconds: Int64 { accountsFixture.nowSeconds }

  init(
    seed: UInt64 = 1, hasMailer: Bool = true, providers: [any SignInProvider]? = nil, hooks: [any DecidingHook] = [],
    issuers: (any IssuerProviders)? = nil, functions: (any FunctionCaller)? = nil, texts: (any SMSSender)? = nil,
    captchas: (any CaptchaService)? = nil,
    configure: (inout AccountsConfiguration) -> Void = { _ in }
  ) throws {
    let accountsFixture = AccountsFixture(seed: seed)
    var configuration = AccountsConfiguration(projectID: "demo-test", publicURL: "https://auth.example.com")
    configuration.passwordCost = .developer
    configuration.passwordSlots = 2
    configure(&configuration)
    let (announced, outbox) = (AnnouncedRevocations(), FakeOutbox())
    var environment = accountsFixture.environment
    (environment.functions, environment.captchas) = (functions, captchas)
    self.accountsFixture = accountsFixture
    self.announced = announced
    self.outbox = outbox
    var plugins = PluginSet(
      providers: providers ?? [FakeMailedLink(), FakePassword(), FakeAnonymous(), FakeCustomToken(), FakeGoogle()],
      mailer: hasMailer ? outbox : nil, smsSender: texts, hooks: hooks)
    plugins.issuers = issuers
    let accounts = Accounts(
      configuration: configuration, store: try accountsFixture.store(),
      keys: KeyRing(store: try Self.sharedKeys.get(), projectID: "demo-test", random: accountsFixture.random),
      plugins: plugins,
      environment: environment,
      onRevocation: { revocation, event in
        announced.revocations.withLock { $0.append(revocation) }
        return announced.events.withLock { events in
          events.append(event)
          return UInt64(events.count)
        }
      })
    directory = AccountsDirectory(accounts)
  }

  /// A common key folder, because making RSA keys takes long.
  private static let sharedKeys = Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-identity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try KeyStore(directory: folder.appendingPathComponent("keys").path)
    try store.makeKeys()
    return store
  }

  // MARK: Requests

  struct Answer {
    var status: Int
    var json: JSON
    var text: String
    var response: IdentityResponse

    var error: String? { json["error"]?["message"]?.string }
    var idToken: String { json["idToken"]?.string ?? json["id_token"]?.string ?? "" }
    var refreshToken: String { json["refreshToken"]?.string ?? json["refresh_token"]?.string ?? "" }
    var localID: String { json["localId"]?.string ?? "" }
  }

  /// Sends a request.
  ///
  /// - Parameter path: The path; `accounts:lookup` is short for `/v1/accounts:lookup`.
  func post(
    _ path: String, _ body: JSON = .object([]), method: String = "POST", host: String = "localhost",
    apiKey: String? = "fake", authority: IdentityRequest.Bearer = .none, address: String = "192.0.2.1",
    isFromLoopback: Bool = false
  ) async throws -> Answer {
    try await send(
      path, body.text(), method: method, host: host, apiKey: apiKey, authority: authority, address: address,
      isFromLoopback: isFromLoopback)
  }

  func send(
    _ path: String, _ body: [UInt8], method: String = "POST", host: String = "localhost", apiKey: String? = "fake",
    contentType: String = "application/json", query: [(name: String, value: String)] = [],
    authority: IdentityRequest.Bearer = .none, address: String = "192.0.2.1", isFromLoopback: Bool = false
  ) async throws -> Answer {
    let full = path.hasPrefix("/") ? path : "/v1/" + path
    let request = IdentityRequest(
      method: method, host: host, path: full, query: query, contentType: contentType, body: body, apiKey: apiKey,
      bearer: authority, client: accountsFixture.client(address), isFromLoopback: isFromLoopback,
      now: accountsFixture.now)
    let response = try #require(await IdentityEndpoints(directory).handle(request), "no route: \(full)")
    return Answer(
      status: response.status, json: JSON(parsing: response.body) ?? .null,
      text: String(decoding: response.body, as: UTF8.self), response: response)
  }

  // MARK: Common requests

  static let password = "correct horse"

  func signUp(_ email: String, _ password: String = password) async throws -> Answer {
    try await post(
      "accounts:signUp", ["email": .string(email), "password": .string(password), "returnSecureToken": true])
  }

  func signIn(_ email: String, _ password: String = password, address: String = "192.0.2.1") async throws -> Answer {
    try await post(
      "accounts:signInWithPassword",
      ["email": .string(email), "password": .string(password), "returnSecureToken": true], address: address)
  }

  func anonymous() async throws -> Answer { try await post("accounts:signUp", ["returnSecureToken": true]) }

  func lookup(_ idToken: String) async throws -> Answer {
    try await post("accounts:lookup", ["idToken": .string(idToken)])
  }

  func update(_ idToken: String, _ members: JSON) async throws -> Answer {
    try await post("accounts:update", .object([.init("idToken", .string(idToken))] + (members.members ?? [])))
  }

  func refresh(_ token: String) async throws -> Answer {
    try await send(
      "/securetoken.googleapis.com/v1/token", Array("grant_type=refresh_token&refresh_token=\(token)".utf8),
      contentType: "application/x-www-form-urlencoded")
  }

  func sendCode(_ type: String, _ members: JSON) async throws -> Answer {
    try await post("accounts:sendOobCode", .object([.init("requestType", .string(type))] + (members.members ?? [])))
  }

  func federated(_ token: String, _ members: JSON = [:]) async throws -> Answer {
    try await post(
      "accounts:signInWithIdp",
      .object(
        [
          .init("requestUri", "http://localhost"), .init("returnSecureToken", true),
          .init("postBody", .string("&id_token=\(token)&providerId=google.com")),
        ] + (members.members ?? [])))
  }

  /// Returns the mails sent so far.
  func mails() async -> [MailMessage] {
    await makeCodes()
    await accounts.context.server.mails.idle()
    return outbox.messages
  }

  /// Performs the work that is scheduled for after an answer.
  func makeCodes() async {
    accountsFixture.runScheduled(within: AccountsContext.codeDelayMilliseconds)
    await accounts.context.codeQueue.idle()
  }

  /// Returns the code in the last mail.
  func mailedCode() async throws -> String {
    let link = try #require(await mails().last?.link)
    return try #require(URLComponents(string: link)?.queryItems?.first { $0.name == "oobCode" }?.value)
  }

  func user(_ uid: String) -> UserRecord? { accounts.store.view.user(uid) }

  /// Changes a record like an administrator.
  func change(_ uid: String, _ change: @escaping @Sendable (inout UserRecord) -> Void) async throws {
    try await accounts.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      change(&user)
      try transaction.update(user, as: [.administered])
    }
  }

  func standing(_ idToken: String) throws -> Revocations.Standing {
    accounts.sessions.revocations.standing(of: try accounts.keys.verifyIDToken(idToken, nowSeconds: nowSeconds))
  }

  func claims(_ idToken: String) throws -> ClaimValue {
    try accounts.keys.verifyIDToken(idToken, nowSeconds: nowSeconds).claims
  }
}

/// A mailer that keeps the mails instead of sending them.
final class FakeOutbox: Mailer {
  private let kept = Mutex<[MailMessage]>([])

  var messages: [MailMessage] { kept.withLock { $0 } }
  func send(_ message: MailMessage) async throws { kept.withLock { $0.append(message) } }
}

/// A provider whose token is `uid`, or `uid@second of its issue`, each optionally followed by `:claims as JSON`.
struct FakeCustomToken: SignInProvider {
  let manifest = ProviderManifest(id: "custom", displayName: "Custom", methods: [.customToken])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    let parts = (request.parameters["token"] ?? "").split(separator: ":", maxSplits: 1)
    guard let name = parts.first?.split(separator: "@"), let uid = name.first else {
      return .refused(SignInRefusal(.invalidCustomToken, "empty"))
    }
    return .user(
      NamedUser(
        uid: String(uid), claims: parts.count > 1 ? JSON(parsing: parts[1].utf8) : nil,
        issuedAtSeconds: name.count > 1 ? Int64(name[1]) : nil))
  }
}

/// A provider whose token is `id~address~verified`.
struct FakeGoogle: SignInProvider {
  let manifest = ProviderManifest(id: "google.com", displayName: "Google", methods: [.credential])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    let parts = (request.parameters["id_token"] ?? "").split(separator: "~", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return .refused(SignInRefusal(.invalidProviderResponse, "not ours")) }
    var identity = ForeignIdentity(
      rawID: String(parts[0]), email: parts[1].isEmpty ? nil : String(parts[1]), isEmailVerified: parts[2] == "yes")
    identity.displayName = "Person \(parts[0])"
    identity.profile = .object([.init("sub", .string(String(parts[0])))])
    return .identity(identity)
  }
}

struct FakeMailedLink: SignInProvider {
  let manifest = ProviderManifest(id: "emailLink", displayName: "E-mail link", methods: [.emailLink])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    if request.method == .emailLink {
      return .emailCode(
        EmailCodeProof(email: request.parameters["email"] ?? "", code: request.parameters["code"] ?? ""))
    }
    return .refused(SignInRefusal(.notAllowed))
  }
}

extension Authority {
  /// Returns an administrator with this name: a service account if it is an address, or else the operator.
  static func administrator(_ name: String) -> Authority {
    name.contains("@") ? .serviceAccount(email: name, scopes: .identity) : .operator(name: name)
  }
}

extension IdentityRequest.Bearer {
  static func administrator(_ name: String) -> IdentityRequest.Bearer { .verified(.administrator(name)) }
}
