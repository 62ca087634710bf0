import HearthCrypto
import HearthEngine
import HearthTree

/// Accounts with an e-mail address and a password, as clients of the 2.x kind manage them: whoever knows the password
/// may change the account.
extension Accounts {
  func createLegacyUser(
    _ asked: LegacyRequest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    let user = try await createPasswordUser(
      email: asked.field("email"), password: asked.field("password"), uid: try legacyUID(), client: client, now: now)
    return .success(.object([JSON.Member("uid", .string(user.uid))]))
  }

  func removeLegacyUser(
    _ email: String, _ asked: LegacyRequest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    switch try await legacyUser(email, password: asked.field("password"), client: client, now: now) {
    case .failure(let error): return .failure(error)
    case .success(let user):
      guard configuration.allowsDeletion else { throw AccountError(.operationNotAllowed) }
      try await deleteUser(uid: user.uid, proven: user, client: client, detail: "by the user")
      return .success(.object([JSON.Member("uid", .string(user.uid))]))
    }
  }

  func changeLegacyPassword(
    _ email: String, _ asked: LegacyRequest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    guard let new = asked.field("newPassword") ?? asked.field("password") else {
      throw AccountError(.missingPassword)
    }
    switch try await legacyUser(email, password: asked.field("oldPassword"), client: client, now: now) {
    case .failure(let error): return .failure(error)
    case .success(let user):
      try await setPassword(of: user, to: new, client: client, now: now)
      return .success(.object([]))
    }
  }

  func changeLegacyEmail(
    _ email: String, _ asked: LegacyRequest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    guard let new = asked.field("newEmail") ?? asked.field("email") else { throw AccountError(.missingEmail) }
    guard EmailAddress.canonical(new) != nil else { throw AccountError(.invalidEmail) }
    switch try await legacyUser(email, password: asked.field("password"), client: client, now: now) {
    case .failure(let error): return .failure(error)
    case .success(let user):
      try await setEmail(of: user, to: new, client: client, now: now)
      return .success(.object([]))
    }
  }

  /// Mails a link for a new password. That an address has no account is told only where that may be known.
  func resetLegacyPassword(
    _ email: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    guard providers.provider(for: .password) != nil else { throw AccountError(.operationNotAllowed) }
    if configuration.legacyRevealsUnknownUsers, store.view.user(email: address) == nil {
      return .failure(.unknownUser)
    }
    do {
      // An address without an account gets the same answer, and no mail.
      try await mailCode(.resetPassword, email: address, client: client, now: now)
    } catch {
      // That a limit was reached would tell that the address was asked for before.
      guard error.code == .resetLimit, configuration.protectsFromEnumeration else { throw error }
    }
    return .success(.object([]))
  }

  /// The account behind an address and its password. One with a second factor is refused: these clients cannot show it.
  func legacyUser(
    _ email: String?, password: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<UserRecord, LegacyError> {
    do throws(AccountError) {
      let user = try await passwordSignIn(email: email, password: password, client: client, now: now)
      return user.factors.isEmpty ? .success(user) : .failure(.needsSecondFactor)
    } catch {
      guard error.code == .invalidLoginCredentials else { throw error }
      let isKnown = email.flatMap(EmailAddress.canonical).map { store.view.user(email: $0) != nil } ?? false
      return .failure(configuration.legacyRevealsUnknownUsers && !isKnown ? .unknownUser : .wrongPassword)
    }
  }

  /// 122 random bits in the form of a UUID, as the 2.x service drew them.
  func legacyUID() throws(AccountError) -> String {
    var bytes = try drawn { (random) throws(RandomnessError) in try random.bytes(16) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }.joined(separator: "-")
  }
}
