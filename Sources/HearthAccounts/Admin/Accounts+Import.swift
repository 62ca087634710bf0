import HearthCrypto
import HearthTree

extension Accounts {
  /// Clear passwords cost a hash each, which takes up to a second.
  private static let rawPasswordsMax = 50

  /// Makes up to 1,000 accounts with the password hashes that they had elsewhere, in one transaction. Users that cannot
  /// be taken are listed with the reason; the others are made.
  func batchCreate(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    guard let list = call.value("users")?.array, !list.isEmpty else { throw AccountError(.missingUserAccount) }
    guard list.count <= Self.pageUsersMax else { throw AccountError(.listTooLong) }
    let hash = try HashParameters(call, secret: keys.throttleKey)
    let mayOverwrite = try call.bool("allowOverwrite") ?? false
    try Self.checkDuplicates(in: list, mayOverwrite: mayOverwrite, call)
    var batch = ImportBatch()
    var rawPasswordCount = 0
    for (index, element) in list.enumerated() {
      do throws(AccountError) {
        guard element.members != nil else { throw AccountError(.invalidArgument, "a user must be an object") }
        let one = call.with(element)
        var user = try ImportedUser(one, hash: hash, random: environment.random, seal: sealFactor)
        guard user.record.factors.count <= configuration.secondFactorsMax else {
          throw AccountError(.secondFactorLimit)
        }
        if user.record.password == nil, let password = try one.text("rawPassword"), !password.isEmpty {
          rawPasswordCount += 1
          guard rawPasswordCount <= Self.rawPasswordsMax else {
            throw AccountError(.invalidArgument, "one batch takes \(Self.rawPasswordsMax) clear passwords at most")
          }
          user.record.password = try await hashedPassword(
            password, email: user.record.email, operation: .signUp, client: call.client, now: call.now)
        }
        batch.users.append((index, user))
      } catch {
        try batch.refuse(index, error)
      }
    }
    return try await store(batch, mayOverwrite: mayOverwrite, call)
  }

  private func store(
    _ batch: ImportBatch, mayOverwrite: Bool, _ call: IdentityCall
  ) async throws(AccountError) -> JSON {
    var sealedKeys: [String: String] = [:]
    for (_, user) in batch.users {
      if let key = user.signerKey, sealedKeys[key.id] == nil { sealedKeys[key.id] = try sealed(key) }
    }
    let keys = keys
    let (errors, ended) = try await store.transact {
      [sealedKeys] (transaction) throws(AccountError) -> ([JSON], [Revocation]) in
      var batch = batch
      var ended: [Revocation] = []
      for (index, user) in batch.users {
        do throws(AccountError) {
          if let key = user.signerKey {
            if let present = transaction.importKey(key.id) {
              guard keys.unseal(present) == key.key else {
                throw AccountError(.invalidArgument, "another signer key has this name here")
              }
            } else if let text = sealedKeys[key.id] {
              transaction.putImportKey(key.id, text)
            }
          }
          guard var present = transaction.user(user.record.uid) else {
            try transaction.insert(user.record)
            continue
          }
          guard mayOverwrite else {
            throw AccountError(.invalidArgument, "localId belongs to an existing account - can not overwrite.")
          }
          var record = user.record
          // Whoever signed in before is told to do so again: it may be somebody else's account now.
          transaction.endTokens(of: &present)
          record.border = present.border
          record.validSinceSeconds = present.validSinceSeconds
          try transaction.update(record)
          transaction.removeTickets(of: record.uid)
          ended.append(.user(uid: record.uid))
        } catch {
          try batch.refuse(index, error)
        }
      }
      transaction.audit(call.event(.usersImported, detail: "\(batch.users.count) read, \(batch.errors.count) refused"))
      return (batch.errors.sorted { $0.index < $1.index }.map(\.json), ended)
    }
    for revocation in ended { onRevocation(revocation, .usersImported) }
    return Self.answer("UploadAccountResponse", errors.isEmpty ? [] : [("error", .array(errors))])
  }

  private func sealed(_ key: HashParameters.SignerKey) throws(AccountError) -> String {
    try drawn { (_) throws(RandomnessError) in try keys.seal(key.key) }
  }

  /// Two users of one batch that want to be the same: then the batch is not what its sender thinks it is.
  private static func checkDuplicates(
    in list: [JSON], mayOverwrite: Bool, _ call: IdentityCall
  ) throws(AccountError) {
    // By their bytes: texts that Unicode calls equivalent are different ones here.
    var (uids, emails, identities): (Set<[UInt8]>, Set<String>, Set<[[UInt8]]>) = ([], [], [])
    let checksAll = try call.bool("sanityCheck") ?? false
    for element in list where element.members != nil {
      let user = call.with(element)
      if !mayOverwrite, let uid = try? user.text("localId"), !uids.insert(Array(uid.utf8)).inserted {
        throw AccountError(.duplicateLocalID, String(uid.prefix(128)))
      }
      guard checksAll else { continue }
      if let text = try? user.text("email"), let email = EmailAddress.canonical(text), !emails.insert(email).inserted {
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
}

/// Users of one import on their way, and those that were refused.
private struct ImportBatch: Sendable {
  struct Refusal: Sendable {
    var index: Int
    var message: String

    var json: JSON {
      .object([JSON.Member("index", .int(Int64(index))), JSON.Member("message", .string(message))])
    }
  }

  var users: [(index: Int, user: ImportedUser)] = []
  var errors: [Refusal] = []

  /// - Throws: what says nothing about the user.
  mutating func refuse(_ index: Int, _ error: AccountError) throws(AccountError) {
    if error.isTransient { throw error }
    errors.append(Refusal(index: index, message: Self.message(of: error)))
  }

  /// In words, as the service lists them.
  private static func message(of error: AccountError) -> String {
    switch error.code {
    case .invalidArgument: error.detail ?? "a member is of the wrong kind"
    case .invalidEmail: "email is invalid"
    case .invalidPhoneNumber: "phone number format is invalid"
    case .invalidClaims: "Invalid custom claims provided."
    case .claimsTooLarge: "Custom claims provided are too large."
    case .forbiddenClaim: "Custom claims provided include a reserved claim."
    case .emailExists: "email exists in other account in database"
    case .phoneNumberExists: "phone number exists in other account in database"
    case .federatedUserAlreadyLinked: "raw id exists in other account in database"
    case .duplicateLocalID: "localId belongs to an account whose record cannot be read"
    default: error.message
    }
  }
}
