import HearthTree

extension AccountTransaction {
  /// Adds or replaces a service account.
  public mutating func putServiceAccount(_ account: ServiceAccount) {
    draft.replace(AccountPath.serviceAccount(account.email), with: text(of: account))
  }

  /// Stores the settings of blocking functions; nil removes them.
  mutating func putBlockingFunctions(_ settings: BlockingFunctionSettings?) {
    let text = settings.map { Node(.string(String(decoding: $0.stored.text(), as: UTF8.self))) }
    draft.replace(AccountPath.blockingFunctions, with: text ?? .empty)
  }

  /// Stores the changes of the configuration; nil for none.
  mutating func putConfigurationChanges(_ text: String?) {
    draft.replace(AccountPath.configurationChanges, with: text.map { Node(.string($0)) } ?? .empty)
  }

  /// Stores the signer key of an import.
  ///
  /// - Parameter sealed: the sealed key, stored unchanged.
  public mutating func putImportKey(_ id: String, _ sealed: String) {
    draft.replace(AccountPath.importKey(id), with: Node(.string(sealed)))
  }
}
