import HearthCrypto
import HearthTree

/// Addresses whose people came from another system, which is not asked about them again: what it knows of them is from
/// before, and their accounts may have been deleted since.
extension AccountReading {
  /// Returns true when an account of that address, in canonical form, once came from another system.
  func isMigrated(email: String) -> Bool { !records.root[AccountPath.migrated(email)].isEmpty }
}

extension AccountTransaction {
  /// Notes that the account of an address came from another system. The note outlives the account, so it holds the
  /// address as a hash alone.
  mutating func noteMigration(email: String) {
    draft.replace(AccountPath.migrated(email), with: Node(.int(nowSeconds)))
  }

  /// Notes what becomes of an account whose password another system had: from then on that one has no say about its
  /// address.
  ///
  /// - Parameter new: nil when it is deleted.
  mutating func noteMigration(from old: UserRecord, to new: UserRecord?) {
    guard old.password?.isElsewhere == true, let email = old.email else { return }
    let stays = new?.password?.isElsewhere == true && new?.email?.isSameText(as: email) == true
    if !stays { noteMigration(email: email) }
  }
}

extension StoredPassword {
  /// In the place of a hash: another system has the password of this account, which was imported without it.
  package static let elsewhereHash = "$elsewhere$"

  /// True when another system has the password.
  package var isElsewhere: Bool { hash == Self.elsewhereHash }
}
