extension UserRecord {
  /// Uses a recovery code up.
  ///
  /// - Throws: `invalidCode` for one that is not, or no longer, the user's.
  mutating func useRecoveryCode(_ hash: String) throws(AccountError) {
    // Constant in time by its key: nobody can make hashes that are close to one that is kept.
    guard let index = recoveryCodes.firstIndex(where: { $0.isSameText(as: hash) }) else {
      throw AccountError(.invalidCode)
    }
    recoveryCodes.remove(at: index)
  }

  /// Without a second factor there is nothing to recover.
  mutating func dropNeedlessRecoveryCodes() { if factors.isEmpty { recoveryCodes = [] } }
}
