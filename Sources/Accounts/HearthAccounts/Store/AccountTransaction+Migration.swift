import HearthCrypto
import HearthTree

/// Addresses of migrated users. The other system is not asked about them again: its data is old, and their accounts may
/// have been deleted since.
extension AccountReading {
  /// Returns true when an account with the address, in canonical form, was once migrated from another system.
  func isMigrated(email: String) -> Bool { !records.root[AccountPath.migrated(email)].isEmpty }
}

extension AccountTransaction {
  /// Notes that the account of an address was migrated. The note outlives the account, so it contains only a hash of
  /// the address.
  mutating func noteMigration(email: String) {
    draft.replace(AccountPath.migrated(email), with: Node(.int(nowSeconds)))
  }

  /// Records the end of a pending migration: from then on the other system is no longer asked about the address.
  ///
  /// - Parameter new: the new record; nil when it is deleted.
  mutating func noteMigration(from old: UserRecord, to new: UserRecord?) {
    guard old.password?.isElsewhere == true, let email = old.email else { return }
    let stays = new?.password?.isElsewhere == true && new?.email?.isSameText(as: email) == true
    if !stays { noteMigration(email: email) }
  }
}

extension StoredPassword {
  /// The placeholder for a hash: another system has the password of this account, which was imported without it.
  package static let elsewhereHash = "$elsewhere$"

  /// True when another system has the password.
  package var isElsewhere: Bool { hash == Self.elsewhereHash }
}
