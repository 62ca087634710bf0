import HearthPlugin

/// The account that a provider's identity leads to.
package enum FederatedOutcome: Sendable {
  /// The user's account: known, linked just now, or to be created.
  case user(AuthenticatedUser)
  /// The address belongs to another account, and the provider has not proven it: nothing was linked.
  case needsConfirmation(UserRecord)
  /// The account does not exist, and the request does not create accounts.
  case needsCreation
}
