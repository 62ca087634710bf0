import HearthAccounts
import HearthPlugin
import HearthTree

/// The emulator's form of a SAML response: `SAMLResponse` is an unsigned JSON object, beside an `id_token` that names
/// the user.
///
///     { "assertion": { "subject": { "nameId": "ann@acme.example" }, "attributeStatements": { "team": "red" } } }
struct EmulatedAssertion {
  private var nameID: String?
  private var attributes: JSON?

  /// - Throws: `invalidProviderResponse` for an invalid `SAMLResponse`. An absent one is empty.
  init(_ parameters: [String: String]) throws(AccountError) {
    guard let text = parameters["SAMLResponse"], !text.isEmpty else { return }
    guard let response = EmulatedCredential.object(Array(text.utf8)) else {
      throw Self.refusal(
        #"The emulator needs SAMLResponse as a JSON object: {"assertion":{"subject":{"nameId":"ann@acme.example"}}}."#)
    }
    guard let assertion = response["assertion"], assertion.members != nil else {
      throw Self.refusal("SAMLResponse has no object \"assertion\".")
    }
    guard let subject = assertion["subject"], subject.members != nil else {
      throw Self.refusal("SAMLResponse has no object \"assertion.subject\".")
    }
    guard let nameID = subject["nameId"]?.string, !nameID.isEmpty else {
      throw Self.refusal("SAMLResponse has no string \"assertion.subject.nameId\".")
    }
    self.nameID = nameID
    switch assertion["attributeStatements"] {
    case nil, .null?: break
    case .object(let members)?:
      let attributes = JSON.object(members)
      guard attributes.text().count <= FederatedIdentity.attributesBytesMax else {
        throw Self.refusal(
          "\"assertion.attributeStatements\" is longer than \(FederatedIdentity.attributesBytesMax) bytes.")
      }
      self.attributes = attributes
    default: throw Self.refusal("\"assertion.attributeStatements\" of SAMLResponse must be an object.")
    }
  }

  /// Returns the identity of an `id_token` with the assertion's data. An identity provider's statement about an address
  /// is trusted.
  func identity(of claimed: ForeignIdentity, by providerID: String) -> FederatedIdentity {
    var person = claimed
    if let nameID, EmailAddress.canonical(nameID) != nil { person.email = nameID }
    person.isEmailVerified = person.email != nil
    if nameID != nil { person.profile = attributes }
    var identity = FederatedIdentity(providerID: providerID, person)
    identity.signInAttributes = attributes
    return identity
  }

  private static func refusal(_ text: String) -> AccountError { AccountError(.invalidProviderResponse, text) }
}
