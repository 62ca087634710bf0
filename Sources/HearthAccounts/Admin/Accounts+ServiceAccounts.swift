import HearthCrypto
import HearthTree

/// Accounts of back-end programs. The server keeps the public halves of their keys; a private half is shown once.
extension Accounts {
  /// Where service accounts get access tokens; it is in the file that they are given.
  static let tokenPath = "/oauth2.googleapis.com/token"

  func listServiceAccounts() -> JSON {
    .object([JSON.Member("serviceAccounts", .array(store.view.serviceAccounts.map(Self.json)))])
  }

  /// Makes an account, or a further key for one that is there, and answers the file that admin SDKs read.
  func createServiceAccount(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let name = try call.text("name"), Self.isName(name) else {
      throw AccountError(.invalidArgument, "name must be 1 to 30 lower-case letters, digits or hyphens, a letter first")
    }
    let email = "\(name)@\(configuration.projectID).iam.gserviceaccount.com"
    guard email != keys.mintingAccount.email else {
      throw AccountError(.invalidArgument, "that name is the server's own")
    }
    let key = try drawn { (random) throws(RandomnessError) in try ServiceAccountKey.generate(random: random) }
    let clientID = try drawn { (random) throws(RandomnessError) in
      // 21 digits, as Google's are; nobody looks at them.
      "1" + (try random.bytes(20)).map { String($0 % 10) }.joined()
    }
    try await store.transact { (transaction) throws(AccountError) in
      var account =
        transaction.serviceAccount(email: email)
        ?? ServiceAccount(
          email: email, name: name, publicKeys: [:], createdAtMilliseconds: call.now.wallMilliseconds)
      guard !account.isDisabled else { throw AccountError(.invalidArgument, "the account is disabled") }
      guard account.publicKeys.count < Self.keysMax else {
        throw AccountError(.quotaExceeded, "an account has \(Self.keysMax) keys at most")
      }
      account.publicKeys[key.keyID] = key.publicPEM
      transaction.putServiceAccount(account)
      transaction.audit(call.event(.keyRotated, detail: "key \(key.keyID.prefix(16)) of \(email) made"))
    }
    let file = ServiceAccountKey.json(
      projectID: configuration.projectID, email: email, keyID: key.keyID, privatePEM: key.privatePEM,
      clientID: clientID, tokenURI: configuration.publicURL + Self.tokenPath,
      certURL: configuration.publicURL + "/robot/v1/metadata/x509/\(email)")
    guard let json = JSON(parsing: file.utf8) else { throw AccountError(.internalError) }
    return .object([
      JSON.Member("email", .string(email)), JSON.Member("keyID", .string(key.keyID)), JSON.Member("key", json),
    ])
  }

  /// Disables an account, which ends its access tokens; or enables it again.
  func disableServiceAccount(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let email = try call.text("email") else { throw AccountError(.missingEmail) }
    let isDisabled = try call.bool("disabled") ?? true
    let account = try await store.transact { (transaction) throws(AccountError) -> ServiceAccount in
      guard var account = transaction.serviceAccount(email: email) else {
        throw AccountError(.invalidArgument, "there is no such service account")
      }
      account.isDisabled = isDisabled
      transaction.putServiceAccount(account)
      let what = isDisabled ? "disabled" : "enabled"
      transaction.audit(call.event(.adminAPI, detail: "service account \(email) \(what)"))
      return account
    }
    if isDisabled { endAccessTokens(of: email, because: .userDisabled) }
    return Self.json(account)
  }

  /// Takes a key from an account: one that leaked, or that was replaced. No access token says which key it was given
  /// for, so all of the account's end; programs that have another key get new ones.
  func removeServiceAccountKey(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let email = try call.text("email") else { throw AccountError(.missingEmail) }
    guard let keyID = try call.text("keyID") else { throw AccountError(.invalidArgument, "keyID is missing") }
    let account = try await store.transact { (transaction) throws(AccountError) -> ServiceAccount in
      guard var account = transaction.serviceAccount(email: email) else {
        throw AccountError(.invalidArgument, "there is no such service account")
      }
      guard account.publicKeys.removeValue(forKey: keyID) != nil else {
        throw AccountError(.invalidArgument, "the account has no such key")
      }
      transaction.putServiceAccount(account)
      transaction.audit(call.event(.keyRotated, detail: "key \(keyID.prefix(16)) of \(email) removed"))
      return account
    }
    endAccessTokens(of: email, because: .keyRotated)
    return Self.json(account)
  }

  private func endAccessTokens(of email: String, because event: AuditEvent.Kind) {
    keys.adminTokens.revokeAll(owner: email)
    onRevocation(.serviceAccount(email: email), event)
  }

  /// Keys of one account at once: enough to replace one while the other is in use.
  private static let keysMax = 10

  private static func isName(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return (1...30).contains(name.utf8.count) && name.utf8.first.map(letters.contains) == true
      && name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }
  }

  private static func json(_ account: ServiceAccount) -> JSON {
    .object([
      JSON.Member("email", .string(account.email)), JSON.Member("name", .string(account.name)),
      JSON.Member("disabled", .bool(account.isDisabled)),
      JSON.Member("createdAtMilliseconds", .int(account.createdAtMilliseconds)),
      JSON.Member("keyIDs", .array(account.publicKeys.keys.sorted().map { .string($0) })),
      JSON.Member(
        "publicKeys",
        .object(account.publicKeys.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) })),
    ])
  }
}
