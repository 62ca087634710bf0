import HearthTree

/// The policy for second factors, and the available kinds.
public struct SecondFactorSettings: Sendable, Equatable {
  /// The requirement for second factors.
  public enum Policy: String, Sendable, CaseIterable {
    /// New enrolments are refused. Accounts with a factor must still show it.
    case off
    /// Enrolment is voluntary.
    case optional
    /// Accounts without a factor sign in only to enrol one.
    case required
  }

  /// A claim that requires a second factor of an account regardless of ``policy``, when it has one of the values.
  public struct RequiredClaim: Sendable, Equatable {
    /// The claim's name among those that an administrator gave the account.
    public var name: String
    /// The values that count; nil for every value but `false` and `null`.
    public var values: [JSON]?

    /// Creates a required claim with the values that count.
    public init(name: String, values: [JSON]? = nil) {
      self.name = name
      self.values = values
    }
  }

  /// The policy for all accounts.
  public var policy = Policy.optional
  /// The claims that require a second factor of some accounts.
  public var requiredClaims: [RequiredClaim] = []
  /// True when authenticator apps, which show time-based codes, can be enrolled.
  public var totp = true
  /// The number of 30-second steps before and after the present one whose codes are accepted, for clock differences.
  public var totpAdjacentIntervals: Int64 = 1

  /// The allowed values of ``totpAdjacentIntervals``.
  package static let adjacentIntervalsRange: ClosedRange<Int64> = 0...10

  /// Creates the default settings.
  public init() {}

  /// Returns true when an account has to show a second factor after a first one of that provider.
  ///
  /// Custom tokens are exempt, as the app's own server vouches for them, and so are anonymous users, who have no factor
  /// to show.
  ///
  /// - Parameter provider: the id as tokens show it.
  package func isRequired(of user: UserRecord, after provider: String) -> Bool {
    // A session that began anonymously no longer belongs to an anonymous user once a credential was linked.
    guard provider != ProviderID.custom, provider != ProviderID.anonymous || !user.isAnonymous else { return false }
    if policy == .required { return true }
    guard !requiredClaims.isEmpty, let claims = user.customAttributes.flatMap({ JSON(parsing: $0.utf8) }) else {
      return false
    }
    return requiredClaims.contains { claim in
      guard let value = claims[claim.name] else { return false }
      return claim.values?.contains(value) ?? (value != .null && value != .bool(false))
    }
  }
}
