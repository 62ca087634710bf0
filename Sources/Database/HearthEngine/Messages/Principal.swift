import HearthTree

/// Who asks: what a verified credential says, in the form the rules see it. The engine verifies nothing.
///
/// A principal is decoded once, when the credential arrives, and shared by reference from then on.
public final class Principal: Sendable {
  /// The rules' `auth`; nil when signed out.
  public let auth: JSON?

  /// Rules are not asked.
  public let isAdministrator: Bool

  /// The credential is an administrator's who has rules asked as if somebody else did it: `auth` is that somebody's. To
  /// whom it matters who really wrote, it was the administrator.
  public let isOverridden: Bool

  /// Nothing may be changed, whatever rules say.
  public let isReadOnly: Bool

  /// Rules are not asked about reads: an administrator, or somebody who may look at everything and change nothing.
  public var readsAll: Bool { isAdministrator || (isReadOnly && !isOverridden) }

  /// The user id, for logs; nil when signed out.
  public let uid: String?

  /// When the credential ends, on the monotonic clock; nil when it does not.
  public let deadlineMonotonicMilliseconds: Int64?

  /// The credential asked for explanations of denials.
  public let isDebugging: Bool

  /// - Parameter uid: nil takes it from `auth`'s member `uid`.
  public init(
    auth: JSON?, isAdministrator: Bool = false, isOverridden: Bool = false, isReadOnly: Bool = false,
    uid: String? = nil, deadlineMonotonicMilliseconds: Int64? = nil, isDebugging: Bool = false
  ) {
    // Of two words about the same the one that allows less counts.
    let isAdministrator = isAdministrator && !isReadOnly
    self.auth = auth
    self.isAdministrator = isAdministrator
    self.isOverridden = isOverridden
    self.isReadOnly = isReadOnly
    self.uid = uid ?? auth?["uid"]?.string
    self.deadlineMonotonicMilliseconds = deadlineMonotonicMilliseconds
    self.isDebugging = isDebugging
  }

  /// Returns true when every decision for the other principal is the decision for this one: only how long the credential
  /// lasts, and whether it asks for explanations, may differ.
  func isEquivalent(to other: Principal) -> Bool {
    self === other
      || isAdministrator == other.isAdministrator && isOverridden == other.isOverridden
        && isReadOnly == other.isReadOnly && uid == other.uid && auth == other.auth
  }

  /// Nobody: rules see `auth` as null.
  public static let signedOut = Principal(auth: nil)

  /// The server itself and administrators: rules are not asked.
  public static let administrator = Principal(auth: nil, isAdministrator: true)
}
