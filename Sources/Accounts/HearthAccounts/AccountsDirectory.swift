import HearthCrypto
import HearthJournal
import HearthTree
import Synchronization

/// The lookup from a request or credential to its accounts: the server's one project, one of its tenants, or on an
/// emulator the project that the request names.
///
/// Further projects that an emulator's clients name have users, sessions and codes of their own, from their first use
/// until the server stops. They are kept in memory only, as test suites leave them behind under generated names.
public final class AccountsDirectory: Sendable {
  /// The maximum number of projects. Each holds a tree, three queues and keys; a suite with a new name for every test has some
  /// hundreds.
  static let countMax = 1_000

  /// The accounts of the server's own project.
  public let own: Accounts

  private let known = Mutex<[String: Accounts]>([:])

  /// The accounts of an emulator's further projects.
  var others: [Accounts] { known.withLock { Array($0.values) } }

  /// - Parameter own: the accounts of the server's own project.
  public init(_ own: Accounts) { self.own = own }

  /// The accounts of a project that a client named; an emulator creates unknown ones.
  ///
  /// - Parameter mayCreate: true when the request may create an emulator project.
  /// - Throws: `configurationNotFound` for another project than the server's, and on an emulator for an unknown one
  ///   that the request may not create, an invalid id, or too many projects.
  package func accounts(of id: String, mayCreate: Bool) throws(AccountError) -> Accounts {
    if isOwn(id) { return own }
    guard own.settings.isEmulator else {
      throw AccountError(.configurationNotFound, "This server serves another project.")
    }
    if let known = known(id) { return known }
    guard mayCreate else {
      throw AccountError(
        .configurationNotFound,
        "Unknown project. Only requests from the emulator's own machine create a project.")
    }
    guard Self.isID(id) else {
      throw AccountError(.configurationNotFound, "A project's id must be 1 to 64 letters, digits and - . _ :")
    }
    let made = try own.makeEmulatorProject(id)
    guard let kept = add(id, made) else {
      made.store.close()
      throw AccountError(
        .configurationNotFound,
        "The emulator can have at most \(Self.countMax) projects. Restart it, or use fewer project ids.")
    }
    guard kept === made else {
      made.store.close()
      return kept
    }
    own.context.notice(
      AccountsNotice(
        .info,
        "project \(id) has its own users until the server stops; clients that send only an API key belong to "
          + "\(own.configuration.projectID), the project of --project"))
    return kept
  }

  /// The accounts whose discovery document any client may read. Reading it creates no project.
  ///
  /// - Throws: `configurationNotFound` for a project that does not exist.
  package func knownAccounts(of id: String) throws(AccountError) -> Accounts {
    if let known = known(id) { return known }
    guard isOwn(id) else { throw AccountError(.configurationNotFound, "This server serves another project.") }
    return own
  }

  private func isOwn(_ id: String) -> Bool {
    let configuration = own.configuration
    return id == configuration.projectID || id == configuration.projectNumber
  }

  /// The emulator's further project with the given id, once a client has used it; nil for the server's own.
  private func known(_ id: String) -> Accounts? {
    guard let other = known.withLock({ $0[id] }) else { return nil }
    other.keys.follow(own.keys)
    return other
  }

  /// Adds a project.
  ///
  /// - Returns: its accounts, which a concurrent request may have added first; nil when there are too many projects.
  func add(_ id: String, _ accounts: Accounts) -> Accounts? {
    known.withLock { known in
      if let present = known[id] { return present }
      guard known.count < Self.countMax else { return nil }
      known[id] = accounts
      return accounts
    }
  }

  /// Returns true when an id can be a project's. Google's have lower-case letters, digits and hyphens, older ones a
  /// domain before a colon; suites invent others.
  private static func isID(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
  }

  // MARK: Lookup by credential

  /// The accounts of the token, code or session that a request contains without naming a project: API keys are all the
  /// same on an emulator.
  ///
  /// - Parameter secret: nil when the request contains none; the result is then the server's own project.
  package func accounts(holding secret: PresentedSecret?) -> Accounts {
    guard let secret, hasOthers else { return own }
    switch secret {
    case .idToken(let token): return accounts(ofToken: token)
    case .refreshToken(let token):
      let hash = Digest(sha256: token.utf8)
      return first { $0.session(hash) != nil } ?? own
    case .ticket(let ticket):
      let hash = Digest(sha256: ticket.utf8)
      return first { $0.ticket(hash) != nil } ?? own
    }
  }

  /// True when accounts other than those of the server's own project may exist.
  private var hasOthers: Bool { own.settings.isEmulator || own.tenants?.isEmpty == false }

  /// Returns the first accounts, except the server's own, that satisfy a condition.
  private func first(where isIt: (AccountView) -> Bool) -> Accounts? {
    if let tenant = own.tenants?.first(where: isIt) { return tenant }
    for other in others {
      if isIt(other.store.view) { return other }
      if let tenant = other.tenants?.first(where: isIt) { return tenant }
    }
    return nil
  }

  /// The accounts whose keys and users verify a token. The token's own statement is unverified and grants nothing: a
  /// token of an unknown tenant is refused by the keys of the project, which accept no tenant's.
  public func accounts(ofToken text: String) -> Accounts {
    guard hasOthers, let token = try? TokenReader.read(text) else { return own }
    let project = project(ofAudience: token.payload["aud"])
    guard token.kind == .id || own.settings.isEmulator, let tenant = token.payload["firebase"]?["tenant"]?.string else {
      return project
    }
    return project.tenants?.find(tenant).map(withNewestKeys) ?? project
  }

  /// The accounts of a verified credential; nil when its tenant was deleted.
  public func accounts(of credential: VerifiedCredential) -> Accounts? {
    // The claims of another issuer name no project or tenant of this server.
    if credential.kind == .foreignToken { return own }
    let project = project(ofAudience: credential.claims["aud"])
    guard credential.kind == .idToken, let tenant = credential.claims["firebase"]?["tenant"]?.string else {
      return project
    }
    return project.tenants?.find(tenant).map(withNewestKeys)
  }

  /// The accounts of a project's tenant that a request names.
  ///
  /// - Parameter mayCreate: true when the request may create an emulator tenant.
  /// - Throws: `tenantNotFound`, `quotaExceeded`.
  package func tenant(_ id: String, of project: Accounts, mayCreate: Bool) async throws(AccountError) -> Accounts {
    guard let tenants = project.tenants else { throw AccountError(.tenantNotFound) }
    return withNewestKeys(mayCreate ? try await tenants.accounts(named: id) : try tenants.accounts(of: id))
  }

  /// The accounts of a tenant of the server's own project; never creates one.
  ///
  /// - Throws: `tenantNotFound`.
  package func knownTenant(_ id: String) throws(AccountError) -> Accounts {
    guard let tenants = own.tenants else { throw AccountError(.tenantNotFound) }
    return withNewestKeys(try tenants.accounts(of: id))
  }

  private func withNewestKeys(_ accounts: Accounts) -> Accounts {
    accounts.keys.follow(own.keys)
    return accounts
  }

  private func project(ofAudience audience: ClaimValue?) -> Accounts {
    guard own.settings.isEmulator else { return own }
    return audience?.string.flatMap { known(IDTokenClaims.project(ofAudience: $0)) } ?? own
  }

  /// Drops an emulator's further projects. Blocks until their queues are empty.
  public func closeEmulatorProjects() {
    for other in others { other.store.close() }
  }
}

/// A secret text by which a client identifies its accounts.
package enum PresentedSecret: Sendable, Redacted {
  /// An ID token.
  case idToken(String)
  /// A refresh token.
  case refreshToken(String)
  /// A mailed code, a pending second factor or identity, or the session text of a phone code.
  case ticket(String)
}

extension Accounts {
  /// Creates the accounts of a further project on an emulator: with its own users, sessions and key names, and
  /// otherwise the server's settings.
  fileprivate func makeEmulatorProject(_ id: String) throws(AccountError) -> Accounts {
    do {
      var server = context.server
      server.configuration.projectID = id
      let store = try AccountStore(
        journals: VolatileJournals(), environment: server.environment, projectID: id,
        limits: AccountStoreLimits(server.configuration))
      return Accounts(AccountsContext(server, store: store, keys: keys.copy(for: id)))
    } catch {
      context.notice(AccountsNotice(.error, "the project \(id) could not be created: \(error)"))
      throw AccountError(.unavailable)
    }
  }
}
