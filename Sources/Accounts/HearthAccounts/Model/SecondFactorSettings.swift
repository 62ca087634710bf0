import HearthTree

/// Who has to show a second factor, and which kinds there are.
public struct SecondFactorSettings: Sendable, Equatable {
  /// True when accounts have second factors.
  public enum Policy: String, Sendable, CaseIterable {
    /// Nobody enrols one. Who has one still shows it.
    case off
    /// Whoever wants has one.
    case optional
    /// Who has none signs in only to enrol one.
    case required
  }

  /// Which accounts it is required of whatever ``policy`` says: those of whose claims one has such a value.
  public struct RequiredClaim: Sendable, Equatable {
    /// Of the claims that an administrator gave the account.
    public var name: String
    /// Nil for every value but `false` and `null`.
    public var values: [JSON]?

    /// A claim, and the values that count.
    public init(name: String, values: [JSON]? = nil) {
      self.name = name
      self.values = values
    }
  }

  /// For everybody.
  public var policy = Policy.optional
  /// For some.
  public var requiredClaims: [RequiredClaim] = []
  /// Authenticators, which show time-based codes, can be enrolled.
  public var totp = true
  /// Codes of so many steps of 30 seconds before and after the present one are taken too, for clocks that differ.
  public var totpAdjacentIntervals: Int64 = 1

  /// What ``totpAdjacentIntervals`` can be.
  package static let adjacentIntervalsRange: ClosedRange<Int64> = 0...10

  /// The defaults.
  public init() {}

  /// Returns true when an account has to show a second factor after a first one of that provider.
  ///
  /// Nobody is asked after a custom token, for which the app's own server has vouched, and as an anonymous user, who has
  /// nothing to show.
  ///
  /// - Parameter provider: as tokens show it.
  package func isRequired(of user: UserRecord, after provider: String) -> Bool {
    // A session that began anonymously is no longer of such a user once something was linked.
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
