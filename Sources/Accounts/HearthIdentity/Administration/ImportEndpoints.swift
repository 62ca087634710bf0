import HearthAccounts
import HearthTree

/// The import of accounts from other systems, with their password hashes.
struct ImportEndpoints: EndpointGroup {
  let accounts: Accounts

  /// The limit for clear passwords: each costs a hash, which takes up to a second. An emulator's are cheap, and not
  /// counted.
  private static let rawPasswordsMax = 50

  /// Creates up to 1,000 accounts in one transaction. Refused users are listed with the reason; the others are created.
  func create(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let list = call.value("users")?.array, !list.isEmpty else { throw AccountError(.missingUserAccount) }
    guard list.count <= BatchEndpoints.usersMax else { throw AccountError(.listTooLong) }
    let hash = try HashParameters(call, secret: accounts.keys.throttleKey)
    let mayOverwrite = try call.bool("allowOverwrite") ?? false
    try checkDuplicates(in: list, mayOverwrite: mayOverwrite, call)
    var users: [(index: Int, user: ImportedUser)] = []
    var refusals: [ImportRefusal] = []
    let isEmulated = call.isEmulated(in: accounts)
    let rawPasswordsMax = isEmulated ? list.count : Self.rawPasswordsMax
    var rawPasswordCount = 0
    for (index, element) in (isEmulated ? EmulatedPassword.cleared(list) : list).enumerated() {
      do throws(AccountError) {
        guard element.members != nil else { throw AccountError(.invalidArgument, "a user must be an object") }
        let one = call.with(element)
        var user = try ImportedUser(one, hash: hash, accounts)
        guard user.record.factors.count <= accounts.configuration.secondFactorsMax else {
          throw AccountError(.secondFactorLimit)
        }
        if user.record.password == nil, let password = try one.text("rawPassword"), !password.isEmpty {
          rawPasswordCount += 1
          guard rawPasswordCount <= rawPasswordsMax else {
            throw AccountError(.invalidArgument, "one batch can have at most \(rawPasswordsMax) plain-text passwords")
          }
          user.record.password = try await accounts.changes.passwords.checkAndHash(
            password, email: user.record.email, .signUp, client: call.client, now: call.now)
        }
        users.append((index, user))
      } catch {
        refusals.append(try ImportRefusal(index, error))
      }
    }
    let refused = try await accounts.administration.imports.importUsers(
      users, refusals: refusals, mayOverwrite: mayOverwrite, by: administrator)
    var reply = ReplyObject(kind: "UploadAccount")
    reply.set(
      "error",
      list: refused.map { refusal in
        .object([
          JSON.Member("index", .int(Int64(refusal.index))),
          JSON.Member("message", .string(message(of: refusal.error))),
        ])
      })
    return reply.json
  }

  /// Refuses a batch with two users of the same name, which its sender did not intend. Where several accounts may have
  /// an address, only the user is refused, and not the batch.
  private func checkDuplicates(
    in list: [JSON], mayOverwrite: Bool, _ call: IdentityCall
  ) throws(AccountError) {
    // By their bytes: texts that Unicode calls equivalent are different ones here.
    var (uids, emails, identities): (Set<[UInt8]>, Set<String>, Set<[[UInt8]]>) = ([], [], [])
    let checksAll = try call.bool("sanityCheck") ?? false
    let allowsDuplicates = accounts.configuration.allowsDuplicateEmails
    for element in list where element.members != nil {
      let user = call.with(element)
      if !mayOverwrite, let uid = try? user.text("localId"), !uids.insert(Array(uid.utf8)).inserted {
        throw AccountError(.duplicateLocalID, String(uid.prefix(128)))
      }
      guard checksAll else { continue }
      if !allowsDuplicates, let text = try? user.text("email"), let email = EmailAddress.canonical(text),
        !emails.insert(email).inserted
      {
        throw AccountError(.duplicateEmail, email)
      }
      for identity in user.value("providerUserInfo")?.array ?? [] {
        guard let provider = identity["providerId"]?.string, let raw = identity["rawId"]?.string else { continue }
        guard identities.insert([Array(provider.utf8), Array(raw.utf8)]).inserted else {
          throw AccountError(.duplicateRawID, "Provider id(\(provider.prefix(128))), Raw id(\(raw.prefix(128)))")
        }
      }
    }
  }

  /// Checks that users can sign in with their old passwords: `{"passwords": [{"email" or "localId", "password"}]}`, up
  /// to 20 of them, returns `{"verdicts": ["right", …]}`, each a ``PasswordChecks/Verdict``.
  func checkPasswords(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let list = call.value("passwords")?.array, list.count <= Self.checkedPasswordsMax else {
      throw AccountError(.invalidArgument, "passwords must be a list of at most \(Self.checkedPasswordsMax)")
    }
    var passwords: [(account: PasswordChecks.Account, password: String)] = []
    for element in list {
      let one = call.with(element)
      guard let password = try one.text("password") else { throw AccountError(.missingPassword) }
      if let uid = try one.text("localId") {
        passwords.append((.uid(uid), password))
      } else if let email = try one.text("email") {
        guard let canonical = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
        passwords.append((.email(canonical), password))
      } else {
        throw AccountError(.missingLocalID)
      }
    }
    let verdicts = try await accounts.administration.passwordChecks.check(passwords, by: administrator)
    return .object([JSON.Member("verdicts", .array(verdicts.map { .string($0.rawValue) }))])
  }

  /// The limit for checked passwords: each costs a hash, which takes up to a second.
  private static let checkedPasswordsMax = 20

  /// The message for an error, in Identity Platform's words.
  private func message(of error: AccountError) -> String {
    switch error.code {
    case .invalidArgument: error.detail ?? "a member has the wrong type"
    case .invalidEmail: "email is invalid"
    case .invalidPhoneNumber: "phone number format is invalid"
    case .invalidClaims: "Invalid custom claims provided."
    case .claimsTooLarge: "Custom claims provided are too large."
    case .forbiddenClaim: "Custom claims provided include a reserved claim."
    case .emailExists where accounts.configuration.allowsDuplicateEmails:
      "email exists in other account in database: import the user without email; providerUserInfo keeps the address"
    case .emailExists: "email exists in other account in database"
    case .phoneNumberExists: "phone number exists in other account in database"
    case .federatedUserAlreadyLinked: "raw id exists in other account in database"
    case .duplicateLocalID: "localId belongs to an account whose record cannot be read"
    default: error.message
    }
  }
}
