import HearthPlugin

/// Whose account an identity is that a provider vouched for.
package enum FederatedOutcome: Sendable {
  /// The account of that person: known, linked just now, or to be made.
  case user(ProvenUser)
  /// The address belongs to somebody, and the provider has not proven it: nothing was linked.
  case needsConfirmation(UserRecord)
  /// There is no such account, and the request wants none made.
  case needsCreation
}
