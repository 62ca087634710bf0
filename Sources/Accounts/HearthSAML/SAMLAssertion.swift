/// What an identity provider says of a person who signed in there.
package struct SAMLAssertion: Sendable, Equatable {
  /// An attribute of the person: its values are texts, in the provider's order.
  package struct Attribute: Sendable, Equatable {
    /// As the provider calls it: `mail`, `urn:oid:0.9.2342.19200300.100.1.3`.
    package var name: String
    /// What people call it, when the provider says so.
    package var friendlyName: String?
    /// One or more.
    package var values: [String]
  }

  /// Its own id. No two assertions of a provider have one.
  package let id: String
  /// What names the person.
  package let nameID: String
  /// What kind of name that is; nil when the provider does not say.
  package let nameIDFormat: String?
  /// All of them, in the provider's order.
  package let attributes: [Attribute]

  /// True when the name is an e-mail address.
  package var isNamedByEmail: Bool { nameIDFormat == SAMLNames.emailFormat }
  /// True when the name is another one at the next sign-in.
  package var isNamedForOnce: Bool { nameIDFormat == SAMLNames.transientFormat }
}
