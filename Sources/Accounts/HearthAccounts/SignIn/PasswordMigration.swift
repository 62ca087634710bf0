import HearthCrypto
import HearthEngine
import HearthPlugin

/// Migrates users whose passwords another system has: plugins are asked about addresses without an account here, and
/// about accounts that were imported without their passwords.
struct PasswordMigration: Sendable {
  let context: AccountsContext
  private var signUp: SignUp { SignUp(context: context) }

  /// The plugins' answer to an address and a password that do not match here.
  enum Outcome {
    /// The credentials are unknown to all plugins.
    case wrong
    /// The password of an existing imported account.
    case imported
    /// A user without an account here.
    case newUser(UserRecord, checker: String)
  }

  /// Asks the plugins.
  ///
  /// Accounts with a password here, and migrated ones, are not asked about again. Where addresses are protected from
  /// enumeration the plugins get a dummy question instead, so that the response takes the same time.
  ///
  /// - Parameter user: the account with the address; nil when it does not exist.
  /// - Throws: ``AccountError/undecided(_:)`` with the plugin's name when one fails, whatever accounts there are.
  func askPlugins(
    about proof: PasswordProof, for user: UserRecord?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Outcome {
    let checkers = context.plugins.passwordCheckers
    guard !checkers.isEmpty else { return .wrong }
    guard mayAsk(proof.email, user) else {
      if context.configuration.protectsFromEnumeration { try await askDummy(checkers, client) }
      return .wrong
    }
    let question = PasswordCheck(
      id: client.requestID, email: proof.email, password: proof.password, uid: user?.uid,
      clientAddress: client.address)
    for checker in checkers {
      guard case .user(let account) = try await answer(of: checker, question) else { continue }
      guard EmailAddress.canonical(account.email)?.isSameText(as: proof.email) == true else {
        throw failure(of: checker, "returned another address than the requested one")
      }
      if let user {
        guard account.uid.map({ $0.isSameText(as: user.uid) }) ?? true else { return taken(checker) }
        return .imported
      }
      let record = try record(of: account, email: proof.email, checker, now: now)
      return context.store.view.user(record.uid) == nil && context.store.view.tombstone(record.uid) == nil
        ? .newUser(record, checker: checker.name) : taken(checker)
    }
    return .wrong
  }

  /// Returns a user whose account is created with this sign-in.
  func pendingUser(
    _ user: UserRecord, _ proof: PasswordProof, checker: String, client: ClientInfo
  ) -> AuthenticatedUser {
    AuthenticatedUser(
      user, .password,
      creation: AccountCreation { (transaction, user) throws(AccountError) in
        guard transaction.user(email: proof.email) == nil else { return nil }
        // Meanwhile the user was migrated, and the account was deleted again.
        guard !transaction.isMigrated(email: proof.email), transaction.tombstone(user.uid) == nil else {
          throw AccountError(.invalidLoginCredentials)
        }
        transaction.noteMigration(email: proof.email)
        return try transaction.addNewUser(user, by: "password, known to \(checker)", client: client)
      } reidentify: { () async throws(AccountError) in
        let user = context.store.view.user(email: proof.email)
        guard
          case .right = try await context.pool.check(proof.password, against: user?.password?.hash, for: client.address),
          let user
        else { throw AccountError(.invalidLoginCredentials) }
        return AuthenticatedUser(user, .password)
      })
  }

  /// Returns true when other systems may be asked about the address.
  private func mayAsk(_ address: String, _ user: UserRecord?) -> Bool {
    if let user { return user.password?.isElsewhere == true }
    return !context.store.view.isMigrated(email: address)
  }

  /// Asks about a random address and password, for equal timing.
  private func askDummy(_ checkers: [any PasswordChecker], _ client: ClientInfo) async throws(AccountError) {
    let question = PasswordCheck(
      id: client.requestID, email: "\(try context.secrets.uid().lowercased())@hearth.invalid",
      password: try context.secrets.text(),
      clientAddress: client.address)
    for checker in checkers { _ = try await answer(of: checker, question) }
  }

  private func answer(
    of checker: any PasswordChecker, _ question: PasswordCheck
  ) async throws(AccountError) -> PasswordCheckAnswer {
    let answer = await Deadline.run(milliseconds: ActivePlugins.timeoutMilliseconds) {
      try await checker.check(question)
    }
    guard let answer else { throw failure(of: checker, "failed or did not answer in time") }
    return answer
  }

  /// Returns the record of a new account, without its password.
  private func record(
    of account: ForeignAccount, email: String, _ checker: any PasswordChecker, now: Instant
  ) throws(AccountError) -> UserRecord {
    if let uid = account.uid, !UserRecord.isUID(uid) { throw failure(of: checker, "returned an invalid uid") }
    guard account.displayName?.utf8.count ?? 0 <= UserRecord.nameBytesMax,
      account.photoURL?.utf8.count ?? 0 <= UserRecord.photoURLBytesMax
    else { throw failure(of: checker, "returned a name or a picture that is too long") }
    var user = try signUp.newUser(uid: account.uid, now: now)
    user.email = email
    user.isEmailVerified = account.isEmailVerified
    user.displayName = account.displayName
    user.photoURL = account.photoURL
    if let claims = account.customClaims {
      do throws(AccountError) {
        user.customAttributes = ClaimValue.object(try SessionClaims.read(claims, takesComputed: true)).json
      } catch {
        throw failure(of: checker, "returned invalid claims (\(error.code.rawValue))")
      }
    }
    return user
  }

  /// Returns the error for another system's account that was migrated before, or deleted here.
  private func taken(_ checker: any PasswordChecker) -> Outcome {
    context.notice(
      AccountsNotice(
        .warning, "\(checker.name) returned a uid that another account has or had; the sign-in is denied"))
    return .wrong
  }

  private func failure(of checker: any PasswordChecker, _ what: String) -> AccountError {
    context.notice(
      AccountsNotice(.warning, "\(checker.name), called to check a password, \(what); the sign-in is denied"))
    return .undecided("\(checker.name) could not check the password.")
  }
}
