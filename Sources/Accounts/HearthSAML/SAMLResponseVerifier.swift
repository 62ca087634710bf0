/// Verifies an identity provider's response: its issuer, its audience, the browser's request, and the time.
///
/// The assertion is parsed again from the octets that the signature covers. The rest of the document is ignored, so
/// that nothing can replace the signed content.
package struct SAMLResponseVerifier: Sendable {
  /// The identity provider's entity id.
  package var identityProviderID: String
  /// The identity provider's certificates, in PEM. Only their keys count; their expiry is ignored.
  package var certificates: [String]
  /// This server's entity id there.
  package var serviceProviderID: String
  /// The consumer URL that the request named for the answer.
  package var consumerURL: String
  /// The id of the authentication request.
  package var requestID: String
  /// True when signatures with SHA-1 are accepted.
  package var allowsSHA1 = false
  /// The tolerated difference of the two servers' clocks.
  package var skewSeconds = SAMLLimits.skewSecondsDefault

  /// Creates the check of a response to one request.
  package init(
    identityProviderID: String, certificates: [String], serviceProviderID: String, consumerURL: String,
    requestID: String
  ) {
    self.identityProviderID = identityProviderID
    self.certificates = certificates
    self.serviceProviderID = serviceProviderID
    self.consumerURL = consumerURL
    self.requestID = requestID
  }

  /// Checks the bytes of a `Response`.
  ///
  /// - Parameter nowSeconds: the time in seconds since 1970.
  /// - Throws: a refusal that names the error.
  package func verifiedAssertion(in bytes: [UInt8], nowSeconds: Int64) throws(SAMLRefusal) -> SAMLAssertion {
    let document = try SAMLDocument(bytes, sizeBytesMax: SAMLLimits.responseBytesMax)
    let response = document.root
    let assertion = try Self.checkForm(of: response)
    try check(response)
    let ofResponse = try SAMLSignature(of: response, allowsSHA1: allowsSHA1)
    let ofAssertion = try SAMLSignature(of: assertion, allowsSHA1: allowsSHA1)
    guard ofResponse != nil || ofAssertion != nil else {
      throw SAMLRefusal("Neither the response nor its assertion is signed.")
    }
    var read: SAMLDocument?
    for signature in [ofAssertion, ofResponse] {
      guard let signature else { continue }
      let octets = try signature.verifiedOctets(in: document, certificates: certificates, allowsSHA1: allowsSHA1)
      read = try SAMLDocument(octets, sizeBytesMax: SAMLLimits.responseBytesMax * 2)
    }
    guard let root = read?.root else { throw SAMLRefusal("No part of the response is signed.") }
    // The outer signature was checked last; it covers the inner one's assertion as well.
    let isWhole = root.isNamed("Response", SAMLNames.protocolSpace)
    if isWhole { try check(root) }
    return try check(assertion: isWhole ? try Self.checkForm(of: root) : root, nowSeconds: nowSeconds)
  }

  // MARK: The whole

  /// Checks the structure: one assertion, as a child of the response; signatures only at these two; no id twice.
  private static func checkForm(of response: SAMLElement) throws(SAMLRefusal) -> SAMLElement {
    guard response.isNamed("Response", SAMLNames.protocolSpace) else {
      throw SAMLRefusal("The XML is not a SAML 2.0 Response.")
    }
    var (ids, assertions, signatures): (Set<String>, Int, Int) = ([], 0, 0)
    var isEncrypted = false
    try response.visit { (element) throws(SAMLRefusal) in
      for attribute in element.attributes where attribute.name.lowercased() == "id" {
        guard attribute.namespace.isEmpty || attribute.namespace == SAMLNames.xmlSpace else { continue }
        guard ids.insert(attribute.value).inserted else {
          throw SAMLRefusal("Two elements of the response have the same ID.")
        }
      }
      if element.name == "Assertion" { assertions += 1 }
      if element.name == "EncryptedAssertion" { isEncrypted = true }
      if element.name == "Signature" { signatures += 1 }
    }
    guard !isEncrypted else {
      throw SAMLRefusal(
        "The assertion is encrypted, which is not supported. Disable encryption of assertions at the identity provider; the "
          + "connection uses TLS.")
    }
    try checkStatus(of: response)
    guard let assertion = try response.only("Assertion", SAMLNames.assertionSpace), assertions == 1 else {
      throw SAMLRefusal("The response must have exactly one assertion, as a child of its Response element.")
    }
    let placed = [response, assertion].reduce(0) { $0 + $1.all("Signature", SAMLNames.signatureSpace).count }
    guard placed == signatures else {
      throw SAMLRefusal("The response has a signature outside the Response element and the assertion.")
    }
    return assertion
  }

  private static func checkStatus(of response: SAMLElement) throws(SAMLRefusal) {
    guard let status = try response.only("Status", SAMLNames.protocolSpace),
      let code = try status.only("StatusCode", SAMLNames.protocolSpace), let value = code.attribute("Value")
    else { throw SAMLRefusal("The response has no status.") }
    guard value != SAMLNames.success else { return }
    let detail = try code.only("StatusCode", SAMLNames.protocolSpace)?.attribute("Value") ?? value
    let word = detail.split(separator: ":").last.map { $0.filter { $0.isASCII && $0.isLetter }.prefix(64) } ?? ""
    throw .denial("The identity provider did not sign in the user: \(word).")
  }

  /// Checks the response, whose content may be unsigned: that can only cause further refusals.
  private func check(_ response: SAMLElement) throws(SAMLRefusal) {
    guard response.attribute("Version") == "2.0" else { throw SAMLRefusal("The response is not SAML 2.0.") }
    if let destination = response.attribute("Destination") {
      guard destination == consumerURL else {
        throw SAMLRefusal("The response's Destination is not \(consumerURL).")
      }
    }
    if let question = response.attribute("InResponseTo") {
      guard question == requestID else { throw SAMLRefusal("The response belongs to another request (InResponseTo).") }
    }
    if let issuer = try response.only("Issuer", SAMLNames.assertionSpace) { try check(issuer: issuer) }
  }

  private func check(issuer: SAMLElement) throws(SAMLRefusal) {
    guard let text = issuer.plainText, text.utf8.elementsEqual(identityProviderID.utf8) else {
      throw SAMLRefusal("The response's Issuer is not \(identityProviderID), the value of idpEntityId.")
    }
  }

  // MARK: The assertion

  private func check(assertion: SAMLElement, nowSeconds: Int64) throws(SAMLRefusal) -> SAMLAssertion {
    guard assertion.isNamed("Assertion", SAMLNames.assertionSpace), assertion.attribute("Version") == "2.0",
      let id = assertion.attribute("ID"), !id.isEmpty
    else { throw SAMLRefusal("The signed element is not a SAML 2.0 assertion.") }
    guard let issuer = try assertion.only("Issuer", SAMLNames.assertionSpace) else {
      throw SAMLRefusal("The assertion has no Issuer.")
    }
    try check(issuer: issuer)
    guard let subject = try assertion.only("Subject", SAMLNames.assertionSpace) else {
      throw SAMLRefusal("The assertion has no Subject.")
    }
    try checkConfirmation(of: subject, nowSeconds: nowSeconds)
    try checkConditions(of: assertion, nowSeconds: nowSeconds)
    let statements = assertion.all("AuthnStatement", SAMLNames.assertionSpace)
    guard !statements.isEmpty else { throw SAMLRefusal("The assertion has no AuthnStatement.") }
    for statement in statements {
      guard let end = try time("SessionNotOnOrAfter", of: statement) else { continue }
      guard nowSeconds < end.adding(skewSeconds) else {
        throw SAMLRefusal("The user's session at the identity provider has ended (SessionNotOnOrAfter).")
      }
    }
    guard let name = try subject.only("NameID", SAMLNames.assertionSpace), let text = name.plainText,
      (1...SAMLLimits.nameIDBytesMax).contains(text.utf8.count)
    else {
      throw SAMLRefusal(
        "The assertion has no NameID of 1 to \(SAMLLimits.nameIDBytesMax) bytes; an encrypted one is not supported.")
    }
    return SAMLAssertion(
      id: id, nameID: text, nameIDFormat: name.attribute("Format"), attributes: Self.attributes(of: assertion))
  }

  /// Checks the subject confirmation (web browser SSO profile, §4.1.4.2): a bearer's, with this recipient, in time, in
  /// response to this request.
  private func checkConfirmation(of subject: SAMLElement, nowSeconds: Int64) throws(SAMLRefusal) {
    var problem = SAMLRefusal("The assertion has no bearer SubjectConfirmation.")
    for confirmation in subject.all("SubjectConfirmation", SAMLNames.assertionSpace)
    where confirmation.attribute("Method") == SAMLNames.bearer {
      do throws(SAMLRefusal) {
        guard let data = try confirmation.only("SubjectConfirmationData", SAMLNames.assertionSpace) else { continue }
        guard data.attribute("Recipient") == consumerURL else {
          throw SAMLRefusal("The assertion's Recipient is not \(consumerURL).")
        }
        guard data.attribute("InResponseTo") == requestID else {
          throw SAMLRefusal(
            "The assertion does not belong to this browser's request (InResponseTo). Start sign-ins in the app: a sign-in that "
              + "starts at the identity provider is refused.")
        }
        guard let end = try time("NotOnOrAfter", of: data) else {
          throw SAMLRefusal("The assertion's confirmation has no expiry (NotOnOrAfter).")
        }
        guard nowSeconds < end.adding(skewSeconds) else { throw Self.expired }
        if let start = try time("NotBefore", of: data), nowSeconds.adding(skewSeconds) < start {
          throw Self.notYetValid
        }
        return
      } catch {
        problem = error
      }
    }
    throw problem
  }

  private func checkConditions(of assertion: SAMLElement, nowSeconds: Int64) throws(SAMLRefusal) {
    guard let conditions = try assertion.only("Conditions", SAMLNames.assertionSpace) else {
      throw SAMLRefusal("The assertion has no Conditions.")
    }
    if let start = try time("NotBefore", of: conditions), nowSeconds.adding(skewSeconds) < start {
      throw Self.notYetValid
    }
    if let end = try time("NotOnOrAfter", of: conditions), nowSeconds >= end.adding(skewSeconds) {
      throw Self.expired
    }
    let restrictions = conditions.all("AudienceRestriction", SAMLNames.assertionSpace)
    let isForUs = restrictions.allSatisfy { restriction in
      restriction.all("Audience", SAMLNames.assertionSpace).contains {
        $0.plainText?.utf8.elementsEqual(serviceProviderID.utf8) == true
      }
    }
    guard !restrictions.isEmpty, isForUs else {
      throw SAMLRefusal("The assertion's Audience is not \(serviceProviderID), the value of spEntityId.")
    }
    let known = ["AudienceRestriction", "OneTimeUse", "ProxyRestriction"]
    guard conditions.children.allSatisfy({ child in known.contains { child.isNamed($0, SAMLNames.assertionSpace) } })
    else { throw SAMLRefusal("The assertion has an unknown condition.") }
  }

  private static let expired = SAMLRefusal(
    "The assertion has expired. If it is new, check the clocks of the two servers.")
  private static let notYetValid = SAMLRefusal("The assertion is not valid yet. Check the clocks of the two servers.")

  private func time(_ name: String, of element: SAMLElement) throws(SAMLRefusal) -> Int64? {
    guard let text = element.attribute(name) else { return nil }
    guard let seconds = SAMLTime.seconds(text) else { throw SAMLRefusal("\(name) is not a UTC time.") }
    return seconds
  }

  /// Returns the attributes with texts, up to the limits; other content is ignored.
  private static func attributes(of assertion: SAMLElement) -> [SAMLAssertion.Attribute] {
    var found: [SAMLAssertion.Attribute] = []
    for statement in assertion.all("AttributeStatement", SAMLNames.assertionSpace) {
      for element in statement.all("Attribute", SAMLNames.assertionSpace) {
        guard found.count < SAMLLimits.attributesMax, let name = element.attribute("Name"), !name.isEmpty,
          name.utf8.count <= SAMLLimits.nameIDBytesMax
        else { continue }
        let values = element.all("AttributeValue", SAMLNames.assertionSpace).compactMap(\.plainText)
          .filter { !$0.isEmpty && $0.utf8.count <= SAMLLimits.valueBytesMax }
        guard !values.isEmpty else { continue }
        found.append(
          SAMLAssertion.Attribute(
            name: name, friendlyName: element.attribute("FriendlyName"),
            values: Array(values.prefix(SAMLLimits.valuesMax))))
      }
    }
    return found
  }
}

extension Int64 {
  /// Adds two times without overflow.
  fileprivate func adding(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
