import HearthPlugin

/// Whose account an identity is that a provider vouched for.
package enum FederatedOutcome: Sendable {
  /// The account of that person: known, linked just now, or new.
  case user(UserRecord, isNew: Bool)
  /// The address belongs to somebody, and the provider has not proven it: nothing was linked.
  case needsConfirmation(UserRecord)
  /// There is no such account, and making one was not decided yet.
  case needsCreation
}
