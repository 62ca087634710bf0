extension UserRecord {
  /// Consumes a recovery code.
  ///
  /// - Throws: `invalidCode` for an unknown or used code.
  mutating func useRecoveryCode(_ hash: String) throws(AccountError) {
    // A plain comparison is safe: the hash is keyed, so that an attacker cannot make hashes that are close to a stored one.
    guard let index = recoveryCodes.firstIndex(where: { $0.isSameText(as: hash) }) else {
      throw AccountError(.invalidCode)
    }
    recoveryCodes.remove(at: index)
  }

  /// Removes the recovery codes of an account without a second factor.
  mutating func removeUnneededRecoveryCodes() { if factors.isEmpty { recoveryCodes = [] } }
}
