import HearthPlugin

/// The creation or deletion of an account, as subscribers are notified of it.
package struct AccountEvent: Sendable, Equatable {
  /// The kind of event.
  package enum Kind: String, Sendable, CaseIterable {
    /// The account was created.
    case created
    /// The account was deleted.
    case deleted
  }

  /// The number of the commit.
  package var position: Int64
  /// The time of the commit, in milliseconds since 1970.
  package var milliseconds: Int64
  /// The kind of event.
  package var kind: Kind
  /// The user's id.
  package var uid: String
  /// The account: as it was created, or as it was before its deletion. Of an unreadable record only the uid is known.
  package var user: HookUser
}
