/// A response of an identity provider in canonical form, built from parts, so that the text itself can be signed.
public struct TestResponse: Sendable {
  public enum Signed: Sendable { case assertion, response, both, nothing }

  public static let assertionSpace = "urn:oasis:names:tc:SAML:2.0:assertion"
  public static let protocolSpace = "urn:oasis:names:tc:SAML:2.0:protocol"

  public var provider: TestIdentityProvider
  public var issuer: String
  public var audience: String
  /// The URL in `Destination` and `Recipient`.
  public var consumerURL: String
  public var requestID: String
  public var id = "_response"
  public var assertionID = "_assertion"
  /// The name ID, as markup.
  public var nameID = "ann@example.com"
  public var nameIDFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
  public var notBefore = "2026-11-28T10:00:00Z"
  public var notOnOrAfter = "2026-11-28T10:05:00Z"
  public var attributes: [(name: String, values: [String])] = []
  public var signed = Signed.assertion
  public var signature = TestSignature()
  public var status = "urn:oasis:names:tc:SAML:2.0:status:Success"
  /// Additional markup between the response's status and its assertion.
  public var extensions = ""

  public init(
    of provider: TestIdentityProvider, to requestID: String, audience: String = "https://sp.example.com",
    consumerURL: String = "https://auth.example.com/__/auth/handler"
  ) {
    self.provider = provider
    self.requestID = requestID
    self.audience = audience
    self.consumerURL = consumerURL
    issuer = provider.id
  }

  /// Returns the assertion.
  ///
  /// - Parameter signature: Markup after the issuer.
  public func assertion(_ signature: String = "") -> String {
    let values = attributes.map { attribute in
      "<Attribute Name=\"\(attribute.name)\">"
        + attribute.values.map { "<AttributeValue>\($0)</AttributeValue>" }.joined() + "</Attribute>"
    }
    return
      "<Assertion xmlns=\"\(Self.assertionSpace)\" ID=\"\(assertionID)\" IssueInstant=\"\(notBefore)\" Version=\"2.0\">"
      + "<Issuer>\(issuer)</Issuer>\(signature)<Subject><NameID Format=\"\(nameIDFormat)\">\(nameID)</NameID>"
      + "<SubjectConfirmation Method=\"urn:oasis:names:tc:SAML:2.0:cm:bearer\"><SubjectConfirmationData "
      + "InResponseTo=\"\(requestID)\" NotOnOrAfter=\"\(notOnOrAfter)\" Recipient=\"\(consumerURL)\">"
      + "</SubjectConfirmationData></SubjectConfirmation></Subject>"
      + "<Conditions NotBefore=\"\(notBefore)\" NotOnOrAfter=\"\(notOnOrAfter)\"><AudienceRestriction>"
      + "<Audience>\(audience)</Audience></AudienceRestriction></Conditions>"
      + "<AuthnStatement AuthnInstant=\"\(notBefore)\"><AuthnContext><AuthnContextClassRef>"
      + "urn:oasis:names:tc:SAML:2.0:ac:classes:Password</AuthnContextClassRef></AuthnContext></AuthnStatement>"
      + (values.isEmpty ? "" : "<AttributeStatement>\(values.joined())</AttributeStatement>") + "</Assertion>"
  }

  /// The signed assertion.
  public var signedAssertion: String {
    assertion(signature.element(over: assertion(), id: assertionID, by: provider))
  }

  /// Returns the response.
  ///
  /// - Parameters:
  ///   - signature: Markup after the issuer.
  ///   - content: The content in place of the assertion.
  public func response(_ signature: String = "", _ content: String) -> String {
    "<Response xmlns=\"\(Self.protocolSpace)\" Destination=\"\(consumerURL)\" ID=\"\(id)\" "
      + "InResponseTo=\"\(requestID)\" IssueInstant=\"\(notBefore)\" Version=\"2.0\">"
      + "<Issuer xmlns=\"\(Self.assertionSpace)\">\(issuer)</Issuer>\(signature)"
      + "<Status><StatusCode Value=\"\(status)\"></StatusCode></Status>\(extensions)\(content)</Response>"
  }

  /// The whole response as text.
  public var text: String {
    let inner = signed == .assertion || signed == .both ? signedAssertion : assertion()
    guard signed == .response || signed == .both else { return response("", inner) }
    return response(signature.element(over: response("", inner), id: id, by: provider), inner)
  }

  public var bytes: [UInt8] { Array(text.utf8) }
}
