import HearthAccounts
import HearthTree

/// Accounts with an e-mail address and a password, as 2.x clients manage them: the password, sent with each request,
/// authorises every change.
struct LegacyUserEndpoints: EndpointGroup {
  let accounts: Accounts

  func create(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    let authenticated = try await accounts.signIn.passwords.newUser(
      email: request.field("email"), password: request.field("password"), uid: try accounts.context.secrets.uuid(),
      client: request.client, now: request.now)
    let user = try await accounts.sessions.admission.create(authenticated, client: request.client)
    return .success(.object([JSON.Member("uid", .string(user.uid))]))
  }

  func remove(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    switch try await user(request.user, password: request.field("password"), request) {
    case .failure(let error): return .failure(error)
    case .success(let user):
      guard accounts.configuration.allowsDeletion else { throw AccountError(.operationNotAllowed) }
      try await accounts.changes.deletion.delete(
        uid: user.uid, authenticated: user, client: request.client, detail: "by the user")
      return .success(.object([JSON.Member("uid", .string(user.uid))]))
    }
  }

  func changePassword(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    guard let new = request.field("newPassword") ?? request.field("password") else {
      throw AccountError(.missingPassword)
    }
    switch try await user(request.user, password: request.field("oldPassword"), request) {
    case .failure(let error): return .failure(error)
    case .success(let user):
      try await accounts.signIn.passwords.change(of: user, to: new, client: request.client, now: request.now)
      return .success(.object([]))
    }
  }

  func changeEmail(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    guard let new = request.field("newEmail") ?? request.field("email") else { throw AccountError(.missingEmail) }
    guard EmailAddress.canonical(new) != nil else { throw AccountError(.invalidEmail) }
    switch try await user(request.user, password: request.field("password"), request) {
    case .failure(let error): return .failure(error)
    case .success(let user):
      try await accounts.changes.addresses.set(of: user, to: new, client: request.client, now: request.now)
      return .success(.object([]))
    }
  }

  /// Mails a link for a new password. An unknown address is reported only where that may be revealed.
  func resetPassword(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    guard let address = EmailAddress.canonical(request.user) else { throw AccountError(.invalidEmail) }
    guard accounts.signIn.providers.serves(.password) else { throw AccountError(.operationNotAllowed) }
    if accounts.configuration.legacyRevealsUnknownUsers, accounts.store.view.user(email: address) == nil {
      return .failure(.unknownUser)
    }
    do {
      // An address without an account gets the same response, and no mail.
      try await accounts.changes.codes.send(
        ActionCodes.CodeRequest(.resetPassword, email: address, client: request.client), now: request.now)
    } catch {
      // A limit error would reveal that the address was used before.
      guard error.code == .resetLimit, accounts.configuration.protectsFromEnumeration else { throw error }
    }
    return .success(.object([]))
  }

  /// Returns the account of an address and its password; it is created when another system accepts them.
  private func user(
    _ email: String?, password: String?, _ request: LegacyRequest
  ) async throws(AccountError) -> Result<UserRecord, LegacyError> {
    switch try await authenticate(email, password: password, request) {
    case .failure(let error): return .failure(error)
    case .success(let authenticated):
      guard authenticated.isNew else { return .success(authenticated.user) }
      return .success(try await accounts.sessions.admission.create(authenticated, client: request.client))
    }
  }

  /// Returns the user of an address and password. An account with a second factor is refused: these clients cannot show
  /// it.
  func authenticate(
    _ email: String?, password: String?, _ request: LegacyRequest
  ) async throws(AccountError) -> Result<AuthenticatedUser, LegacyError> {
    do throws(AccountError) {
      let authenticated = try await accounts.signIn.passwords.signIn(
        email: email, password: password, client: request.client, now: request.now)
      return accounts.sessions.legacy.takes(authenticated) ? .success(authenticated) : .failure(.needsSecondFactor)
    } catch {
      guard error.code == .invalidLoginCredentials else { throw error }
      let isKnown = email.flatMap(EmailAddress.canonical).map { accounts.store.view.user(email: $0) != nil } ?? false
      return .failure(accounts.configuration.legacyRevealsUnknownUsers && !isKnown ? .unknownUser : .wrongPassword)
    }
  }
}

extension LegacyRequest {
  /// The address in the path, `users/<address>/…`.
  fileprivate var user: String { path.count > 1 ? path[1] : "" }
}
