import HearthTree

/// A caller's identity: the content of a credential, as the rules read it. The credential is verified before, outside
/// of the engine.
///
/// A principal is decoded once, when the credential arrives, and shared by reference from then on.
public final class Principal: Sendable {
  /// The rules' `auth`; nil when signed out.
  public let auth: JSON?

  /// True for an administrator, for whom rules are not evaluated.
  public let isAdministrator: Bool

  /// True for an administrator's credential with an overridden `auth`, with which the rules are evaluated. The authors
  /// that records name still name the administrator.
  public let isOverridden: Bool

  /// True when all changes are refused, regardless of rules.
  public let isReadOnly: Bool

  /// True when rules are not evaluated for reads: for an administrator, or a viewer of all data.
  public var readsAll: Bool { isAdministrator || (isReadOnly && !isOverridden) }

  /// The user ID, for logs; nil when signed out.
  public let uid: String?

  /// The time when the credential expires, on the monotonic clock; nil when it does not.
  public let deadlineMonotonicMilliseconds: Int64?

  /// True when the credential requests explanations of denials.
  public let isDebugging: Bool

  /// Creates a principal.
  ///
  /// - Parameter uid: The user ID; nil to take it from the member `uid` of `auth`.
  public init(
    auth: JSON?, isAdministrator: Bool = false, isOverridden: Bool = false, isReadOnly: Bool = false,
    uid: String? = nil, deadlineMonotonicMilliseconds: Int64? = nil, isDebugging: Bool = false
  ) {
    // When the flags contradict each other, the more restrictive one counts.
    let isAdministrator = isAdministrator && !isReadOnly
    self.auth = auth
    self.isAdministrator = isAdministrator
    self.isOverridden = isOverridden
    self.isReadOnly = isReadOnly
    self.uid = uid ?? auth?["uid"]?.string
    self.deadlineMonotonicMilliseconds = deadlineMonotonicMilliseconds
    self.isDebugging = isDebugging
  }

  /// Returns true when every decision for the other principal also holds for this one: the two may differ only in the
  /// deadline of the credential and in its request for explanations.
  func isEquivalent(to other: Principal) -> Bool {
    self === other
      || isAdministrator == other.isAdministrator && isOverridden == other.isOverridden
        && isReadOnly == other.isReadOnly && uid == other.uid && auth == other.auth
  }

  /// A signed-out client, whose `auth` in rules is null.
  public static let signedOut = Principal(auth: nil)

  /// The server itself and administrators, for whom rules are not evaluated.
  public static let administrator = Principal(auth: nil, isAdministrator: true)
}
