/// The enveloped signature of a response or assertion, checked before the library verifies it: the allowed algorithms
/// and references are fixed here, and not by the document.
struct SAMLSignature {
  private static let canonicalisation = "http://www.w3.org/2001/10/xml-exc-c14n#"
  private static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
  private static let signing: Set<String> = [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
    "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
  ]
  private static let digests: Set<String> = [
    "http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
    "http://www.w3.org/2001/04/xmlenc#sha512",
  ]
  private static let signingSHA1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
  private static let digestSHA1 = "http://www.w3.org/2000/09/xmldsig#sha1"

  let element: SAMLElement
  /// The signed element, which contains the signature.
  let signed: SAMLElement

  /// Reads the signature of an element; nil when that has none.
  ///
  /// - Throws: a refusal for a signature that does not cover this element, or uses another algorithm or form.
  init?(of signed: SAMLElement, allowsSHA1: Bool) throws(SAMLRefusal) {
    guard let found = try signed.only("Signature", SAMLNames.signatureSpace) else { return nil }
    (element, self.signed) = (found, signed)
    guard let info = try found.only("SignedInfo", SAMLNames.signatureSpace),
      try found.only("SignatureValue", SAMLNames.signatureSpace) != nil,
      found.all("Object", SAMLNames.signatureSpace).isEmpty
    else { throw SAMLRefusal("A signature is incomplete, or contains objects.") }
    guard try Self.algorithm("CanonicalizationMethod", in: info) == Self.canonicalisation else {
      throw SAMLRefusal("A signature must use the canonicalisation \(Self.canonicalisation).")
    }
    let method = try Self.algorithm("SignatureMethod", in: info)
    try Self.require(method, among: Self.signing, orSHA1: Self.signingSHA1, allowsSHA1)
    guard let reference = try info.only("Reference", SAMLNames.signatureSpace) else {
      throw SAMLRefusal("A signature does not name the element that it covers.")
    }
    guard let id = signed.attribute("ID"), !id.isEmpty, reference.attribute("URI") == "#" + id else {
      throw SAMLRefusal("A signature covers another element than its parent.")
    }
    let digest = try Self.algorithm("DigestMethod", in: reference)
    try Self.require(digest, among: Self.digests, orSHA1: Self.digestSHA1, allowsSHA1)
    try Self.checkTransforms(of: reference)
  }

  private static func algorithm(_ name: String, in element: SAMLElement) throws(SAMLRefusal) -> String? {
    guard let method = try element.only(name, SAMLNames.signatureSpace) else { return nil }
    // Parameters belong to unsupported algorithms: truncated codes and paddings.
    let plain = method.children.allSatisfy { $0.isNamed("InclusiveNamespaces", canonicalisation) }
    return plain ? method.attribute("Algorithm") : nil
  }

  private static func require(
    _ algorithm: String?, among allowed: Set<String>, orSHA1 old: String, _ allowsSHA1: Bool
  ) throws(SAMLRefusal) {
    if let algorithm, allowed.contains(algorithm) || (allowsSHA1 && algorithm == old) { return }
    guard algorithm == old else {
      throw SAMLRefusal("A signature uses an unsupported algorithm. Use RSA or ECDSA with SHA-256 or stronger.")
    }
    throw SAMLRefusal(
      "A signature uses SHA-1, which is insecure. Have the identity provider sign with SHA-256, or set "
        + "allowSha1Signatures.")
  }

  private static func checkTransforms(of reference: SAMLElement) throws(SAMLRefusal) {
    let steps = try reference.only("Transforms", SAMLNames.signatureSpace)?.children ?? []
    let names = steps.map { $0.attribute("Algorithm") ?? "" }
    let areKnown = steps.allSatisfy { step in
      step.isNamed("Transform", SAMLNames.signatureSpace)
        && step.children.allSatisfy { $0.isNamed("InclusiveNamespaces", canonicalisation) }
    }
    guard areKnown, names == [enveloped, canonicalisation] else {
      throw SAMLRefusal("A signature does not cover the whole, canonicalised element.")
    }
  }

  /// Verifies the signature with each of the certificates.
  ///
  /// - Returns: the signed octets.
  func verifiedOctets(in document: SAMLDocument, certificates: [String], allowsSHA1: Bool) throws(SAMLRefusal)
    -> [UInt8]
  {
    let strong = certificates.compactMap(SAMLCertificate.pem).filter(SAMLCertificate.isStrong)
    guard !strong.isEmpty else {
      throw SAMLRefusal("The keys of the configured certificates are too short: at least 2,048 bits are required.")
    }
    for certificate in strong {
      let octets = try document.signedOctets(
        of: signed, by: element, certificate: certificate, allowsSHA1: allowsSHA1)
      if let octets { return octets }
    }
    throw SAMLRefusal(
      "The signature does not match the configured certificates, or the content was changed. If the identity provider has "
        + "a new certificate, add it to idpCertificates.")
  }
}
