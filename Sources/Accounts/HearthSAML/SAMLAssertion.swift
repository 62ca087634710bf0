/// An identity provider's statement about a user who signed in there.
package struct SAMLAssertion: Sendable, Equatable {
  /// An attribute of the user: its values are texts, in the provider's order.
  package struct Attribute: Sendable, Equatable {
    /// The name at the provider: `mail`, `urn:oid:0.9.2342.19200300.100.1.3`.
    package var name: String
    /// The readable name, when the provider gives one.
    package var friendlyName: String?
    /// The values, at least one.
    package var values: [String]
  }

  /// The assertion's id, unique for the provider.
  package let id: String
  /// The user's name id.
  package let nameID: String
  /// The format of the name id; nil when the provider gives none.
  package let nameIDFormat: String?
  /// The attributes, in the provider's order.
  package let attributes: [Attribute]

  /// True when the name is an e-mail address.
  package var hasEmailNameID: Bool { nameIDFormat == SAMLNames.emailFormat }
  /// True for a transient name id, which differs at the next sign-in.
  package var hasTransientNameID: Bool { nameIDFormat == SAMLNames.transientFormat }
}
