import HearthCrypto

/// A new key of a service account. Its private key is stored nowhere else.
package struct NewServiceAccountKey: Sendable, Redacted {
  /// The account's address.
  package let email: String
  /// The name of the key.
  package let keyID: String
  /// The file that admin SDKs read: the text of a JSON object.
  package let file: String
}

/// Accounts of back-end programs. The server stores only their public keys; a private key is shown once.
package struct ServiceAccounts: Sendable {
  let context: AccountsContext

  /// The path of the token endpoint for service accounts, which is in their key file.
  package static let tokenPath = "/oauth2.googleapis.com/token"

  /// Creates an account, or a further key for an existing one.
  ///
  /// - Parameter name: 1 to 30 lower-case letters, digits or hyphens, a letter first.
  package func createKey(
    name: String?, by administrator: Administrator
  ) async throws(AccountError) -> NewServiceAccountKey {
    guard let name, Self.isName(name) else {
      throw AccountError(
        .invalidArgument, "name must be 1 to 30 lower-case letters, digits or hyphens, and begin with a letter")
    }
    let projectID = context.configuration.projectID
    let email = "\(name)@\(projectID).iam.gserviceaccount.com"
    guard email != context.keys.mintingEmail else {
      throw AccountError(.invalidArgument, "this name is reserved for the server")
    }
    let key = try context.secrets.draw { (random) throws(RandomnessError) in
      try ServiceAccountKey.generate(random: random)
    }
    let clientID = try context.secrets.draw { (random) throws(RandomnessError) in
      // 21 digits, as Google's are; no client interprets them.
      "1" + (try random.bytes(20)).map { String($0 % 10) }.joined()
    }
    try await context.store.transact { (transaction) throws(AccountError) in
      var account =
        transaction.serviceAccount(email: email)
        ?? ServiceAccount(
          email: email, name: name, publicKeys: [:], createdAtMilliseconds: administrator.now.wallMilliseconds)
      guard !account.isDisabled else { throw AccountError(.invalidArgument, "the account is disabled") }
      guard account.publicKeys.count < Self.keysMax else {
        throw AccountError(.quotaExceeded, "a service account can have at most \(Self.keysMax) keys")
      }
      account.publicKeys[key.keyID] = key.publicPEM
      transaction.putServiceAccount(account)
      transaction.audit(administrator.event(.keyRotated, detail: "key \(key.keyID.prefix(16)) of \(email) made"))
    }
    let file = ServiceAccountKey.json(
      projectID: projectID, email: email, keyID: key.keyID, privatePEM: key.privatePEM,
      clientID: clientID, tokenURI: context.configuration.publicURL + Self.tokenPath,
      certURL: context.configuration.publicURL + "/robot/v1/metadata/x509/\(email)")
    return NewServiceAccountKey(email: email, keyID: key.keyID, file: file)
  }

  /// Disables an account, which invalidates its access tokens, or enables it again.
  ///
  /// - Throws: `invalidArgument` when there is no such account.
  package func set(
    _ email: String, isDisabled: Bool, by administrator: Administrator
  ) async throws(AccountError) -> ServiceAccount {
    let account = try await context.store.transact { (transaction) throws(AccountError) -> ServiceAccount in
      guard var account = transaction.serviceAccount(email: email) else {
        throw AccountError(.invalidArgument, "unknown service account")
      }
      account.isDisabled = isDisabled
      if isDisabled { account.endTokens() }
      transaction.putServiceAccount(account)
      let what = isDisabled ? "disabled" : "enabled"
      transaction.audit(administrator.event(.adminAPI, detail: "service account \(email) \(what)"))
      return account
    }
    if isDisabled { context.announce(.serviceAccount(email: email), .userDisabled) }
    return account
  }

  /// Removes a key from an account: one that leaked, or that was replaced. Access tokens do not name their key, so all
  /// of the account's become invalid; programs with another key get new ones.
  ///
  /// - Throws: `invalidArgument` when there is no such account or key.
  package func removeKey(
    _ keyID: String, of email: String, by administrator: Administrator
  ) async throws(AccountError) -> ServiceAccount {
    let account = try await context.store.transact { (transaction) throws(AccountError) -> ServiceAccount in
      guard var account = transaction.serviceAccount(email: email) else {
        throw AccountError(.invalidArgument, "unknown service account")
      }
      guard account.publicKeys.removeValue(forKey: keyID) != nil else {
        throw AccountError(.invalidArgument, "unknown key of the service account")
      }
      account.endTokens()
      transaction.putServiceAccount(account)
      transaction.audit(administrator.event(.keyRotated, detail: "key \(keyID.prefix(16)) of \(email) removed"))
      return account
    }
    context.announce(.serviceAccount(email: email), .keyRotated)
    return account
  }

  /// The maximum number of keys of one account: enough to replace one while the other is in use.
  private static let keysMax = 10

  private static func isName(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return (1...30).contains(name.utf8.count) && name.utf8.first.map(letters.contains) == true
      && name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") }
  }
}
