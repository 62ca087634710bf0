import HearthPlugin

/// What came of an identity that a provider vouched for.
package enum FederatedOutcome: Sendable {
  /// The account of that person: known, linked just now, or new.
  case user(UserRecord, isNew: Bool)
  /// The address belongs to somebody, and the provider has not proven it: nothing was linked.
  case needsConfirmation(UserRecord)
  /// There is no such account, and making one was not decided yet.
  case needsCreation
}

/// An identity as a provider tells it, ready for the store.
package struct FederatedIdentity: Sendable {
  /// As the account keeps it.
  package var identity: ProviderIdentity
  /// As the provider told it.
  package var foreign: ForeignIdentity
  /// In canonical form; nil when the provider names none, or none that is one.
  package var email: String?
  /// The provider is the authority for the address, or has proven it.
  package var isEmailVerified: Bool

  /// - Parameters:
  ///   - providerID: `google.com`, `oidc.acme`.
  ///   - foreign: as the provider told it.
  package init(providerID: String, _ foreign: ForeignIdentity) {
    self.foreign = foreign
    email = foreign.email.flatMap { EmailAddress.canonical($0) }
    isEmailVerified = email != nil && foreign.isEmailVerified
    identity = ProviderIdentity(providerID: providerID, rawID: foreign.rawID)
    identity.email = email
    identity.displayName = foreign.displayName.map { PlainText.line($0, lengthMax: 256) }
    identity.photoURL = foreign.photoURL.flatMap { $0.utf8.count <= 2_048 ? $0 : nil }
    identity.screenName = foreign.screenName.map { PlainText.line($0, lengthMax: 256) }
  }

  var isUsable: Bool { !foreign.rawID.isEmpty && foreign.rawID.utf8.count <= 1_024 }
}
