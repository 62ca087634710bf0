import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthTree
import HearthWire
import Logging

/// The verifier that turns a credential into a ``VerifiedCaller``: the one place where verified claims become a
/// principal of the engine.
///
/// The keys are read anew for each credential, so that a removed one is invalid from then on.
package struct CallerAuthenticator: Sendable {
  let accounts: AccountsDirectory
  let logger: Logger
  private let rate = LogRateLimiter()
  private let meters: GatewayMeters
  /// The console's sessions, whose credentials open sockets and give no other access; nil without a console.
  let console: ConsoleCredentials?

  /// - Parameters:
  ///   - accounts: the keys and users by which credentials are checked.
  ///   - logger: gets unverifiable credentials, a hundred lines a second at most. No credential is logged.
  ///   - meters: count refused credentials.
  ///   - console: verifies the credentials of the console's sessions.
  package init(
    accounts: AccountsDirectory, logger: Logger, meters: GatewayMeters = .none, console: ConsoleCredentials? = nil
  ) {
    self.console = console
    self.accounts = accounts
    self.logger = logger
    self.meters = meters
  }

  /// The identity that rules see instead of the credential's own, at the caller's request.
  enum Override: Sendable {
    case auth(JSON)
    case signedOut
  }

  /// Verifies a credential of the server's own.
  ///
  /// - Parameters:
  ///   - now: one reading of the clocks for the whole request.
  ///   - origin: the origin of the request: a developer's credential is valid from this machine only.
  func caller(
    _ token: String, override: Override?, from origin: RequestOrigin, now: Instant
  ) throws(CallerError) -> VerifiedCaller {
    let verified: VerifiedCredential
    do { verified = try verify(token, for: .database, from: origin, now: now) } catch { throw Self.failure(error) }
    return try caller(verified, override: override, now: now)
  }

  /// Makes a caller of verified claims: the one place where they become a principal.
  func caller(
    _ verified: VerifiedCredential, override: Override?, now: Instant
  ) throws(CallerError) -> VerifiedCaller {
    var auth = verified.authPayload.map(JSON.init)
    let authority = verified.authority
    var bypassesRules = authority.bypassesRules
    if let override {
      // A console session that acts as another identity is read-only.
      guard authority.allows(.readPast) else {
        throw .refused(.permissionDenied, text: "Only an administrator can act as another user")
      }
      bypassesRules = false
      if case .auth(let other) = override { auth = other } else { auth = nil }
    }
    let principal = Principal(
      auth: auth, isAdministrator: bypassesRules, isOverridden: override != nil,
      isReadOnly: authority.isReadOnly || (verified.kind == .consoleSession && override != nil),
      deadlineMonotonicMilliseconds: Self.deadline(verified.expiresAtSeconds, now: now),
      isDebugging: verified.debug)
    var claims: JSON = ["auth": auth ?? .null]
    if let expires = verified.expiresAtSeconds { claims["expires"] = .int(expires) }
    return VerifiedCaller(
      principal: principal, claims: claims, isSimulating: verified.simulate, credential: verified)
  }

  /// Returns true when a credential that was valid has been revoked: its key is gone, or its user or the service
  /// account that it was issued to is no longer in force.
  func isEnded(_ credential: VerifiedCredential, by revocation: Revocation) -> Bool {
    if let session = credential.consoleSession { return console?.isOpen(session) != true }
    switch revocation {
    case .serviceAccount(let email): return credential.owner == email && !isInForce(credential)
    case .foreignTokens(let tokens): return tokens.ends(credential)
    case .user, .tenant, .legacySession, .signingKey, .legacySecret: break
    }
    return accounts.accounts(of: credential)?.keys.isKeyValid(of: credential) != true || !isInForce(credential)
  }
}

extension CallerAuthenticator {
  /// Verifies a credential of the server's own, and that its user is still enabled. Refusals are logged by class.
  package func verify(
    _ token: String, for scope: AdminScopes, from origin: RequestOrigin, now: Instant
  ) throws(CredentialError) -> VerifiedCredential {
    do throws(CredentialError) { return try check(token, for: scope, from: origin, now: now) } catch {
      note(error, from: origin)
      throw error
    }
  }

  /// Verifies a credential as ``verify(_:for:from:now:)`` does, without logging a refusal.
  func check(
    _ token: String, for scope: AdminScopes, from origin: RequestOrigin, now: Instant
  ) throws(CredentialError) -> VerifiedCredential {
    let verified = try accounts.accounts(ofToken: token).keys.verifier.verify(
      token, nowSeconds: now.wallMilliseconds / 1000, isFromLoopback: origin.isFromLoopback, scope: scope)
    try requireInForce(verified)
    log(verified, origin)
    if verified.authority == .databaseSecret {
      accounts.own.context.audit.secretWasUsed(verified.keyID ?? "", from: origin.address, now: now)
    }
    return verified
  }

  func requireInForce(_ credential: VerifiedCredential) throws(CredentialError) {
    guard isInForce(credential) else { throw CredentialError(.expiredToken, reason: "its owner's tokens were revoked") }
  }

  /// Logs a refused credential.
  func note(_ error: CredentialError, from origin: RequestOrigin) {
    meters.refusedCredential(error.code.rawValue)
    rate.log(to: logger) {
      var metadata: Logger.Metadata = [
        "class": "\(error.code.rawValue)", "reason": "\(error.reason)", "client": "\(origin.address)",
        "request": "\(origin.requestID)",
      ]
      if accounts.own.keys.verifier.developerCredentials != nil, !origin.isFromLoopback {
        metadata["emulator"] = "refused: the request comes from another machine, a proxy or a page of another site"
      }
      logger.info("credential refused", metadata: metadata)
    }
  }

  /// Logs a credential that no plugin has decided on.
  func noteUndecided(_ text: String, from origin: RequestOrigin) {
    meters.refusedCredential("undecided")
    rate.log(to: logger) {
      logger.warning(
        "credential not checked",
        metadata: ["reason": "\(text)", "client": "\(origin.address)", "request": "\(origin.requestID)"])
    }
  }

  /// Returns true unless the user or the service account of the credential was disabled, deleted or signed out since.
  private func isInForce(_ credential: VerifiedCredential) -> Bool {
    accounts.accounts(of: credential)?.sessions.revocations.standing(of: credential) == .good
  }

  /// Logs a credential that any program of this machine can make up, at each use.
  func log(_ verified: VerifiedCredential, _ origin: RequestOrigin) {
    guard verified.kind == .developerOwner || verified.kind == .developerToken else { return }
    logger.info(
      "developer credential accepted",
      metadata: [
        "kind": "\(verified.kind.rawValue)", "client": "\(origin.address)", "request": "\(origin.requestID)",
      ])
  }

  static func failure(_ error: CredentialError) -> CallerError {
    switch error.code {
    case .invalidToken: .refused(.invalidToken, text: error.message)
    case .expiredToken: .refused(.expiredToken, text: error.message)
    case .unavailable: .unavailable(reason: error.reason)
    }
  }

  /// Returns the expiry of a credential on the monotonic clock, so that setting the wall clock back extends no
  /// credential.
  private static func deadline(_ expiresAtSeconds: Int64?, now: Instant) -> Int64? {
    guard let expiresAtSeconds else { return nil }
    let (wall, isTooFar) = expiresAtSeconds.multipliedReportingOverflow(by: 1000)
    guard !isTooFar else { return nil }
    let (left, isTooLong) = wall.subtractingReportingOverflow(now.wallMilliseconds)
    guard !isTooLong else { return nil }
    let (deadline, overflow) = now.monotonicMilliseconds.addingReportingOverflow(left)
    return overflow ? nil : deadline
  }
}

extension JSON {
  /// Creates the claim as a value of the tree. Tokens are at most 32 levels deep.
  init(_ claim: ClaimValue) {
    switch claim {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map(JSON.init))
    case .object(let members): self = .object(members.map { Member($0.name, JSON($0.value)) })
    }
  }
}
