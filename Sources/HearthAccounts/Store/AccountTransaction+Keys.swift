import HearthTree

extension AccountTransaction {
  /// Adds or replaces a service account.
  public mutating func putServiceAccount(_ account: ServiceAccount) {
    draft.replace(AccountPath.serviceAccount(account.email), with: text(of: account))
  }

  /// Keeps the signer key of an import.
  ///
  /// - Parameter sealed: the key, sealed: it is stored as it comes.
  public mutating func putImportKey(_ id: String, _ sealed: String) {
    draft.replace(AccountPath.importKey(id), with: Node(.string(sealed)))
  }
}
