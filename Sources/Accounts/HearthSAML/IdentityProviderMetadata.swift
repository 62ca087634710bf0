/// The parts of an identity provider's metadata that a configuration needs.
package struct IdentityProviderMetadata: Sendable, Equatable {
  /// The identity provider's `entityID`.
  package let identityProviderID: String
  /// The URL for authentication requests: the redirect binding.
  package let signOnURL: String
  /// The signing certificates, in PEM.
  package let certificates: [String]

  /// Reads metadata: an `EntityDescriptor`, or an `EntitiesDescriptor` with several.
  ///
  /// - Parameter id: the entity to read of several; nil when there is one.
  /// - Throws: a refusal that names the missing part.
  package init(_ bytes: [UInt8], id: String? = nil) throws(SAMLRefusal) {
    let document = try SAMLDocument(bytes, sizeBytesMax: SAMLLimits.metadataBytesMax, allowsComments: true)
    var found: [(id: String, descriptor: SAMLElement)] = []
    try document.root.visit { (element) throws(SAMLRefusal) in
      guard element.isNamed("EntityDescriptor", SAMLNames.metadataSpace), let name = element.attribute("entityID"),
        !name.isEmpty, let descriptor = try element.only("IDPSSODescriptor", SAMLNames.metadataSpace)
      else { return }
      if id == nil || id == name { found.append((name, descriptor)) }
    }
    guard found.count == 1, let (name, descriptor) = found.first else {
      throw SAMLRefusal(
        found.isEmpty
          ? "The metadata has no identity provider\(id.map { " of the id \($0)" } ?? "") (IDPSSODescriptor)."
          : "The metadata has \(found.count) identity providers. Name one by its entityID.")
    }
    let services = descriptor.all("SingleSignOnService", SAMLNames.metadataSpace)
    guard
      let url = services.first(where: { $0.attribute("Binding") == SAMLNames.redirectBinding })?.attribute("Location")
    else { throw SAMLRefusal("The identity provider has no SingleSignOnService with the HTTP-Redirect binding.") }
    var certificates: [String] = []
    for key in descriptor.all("KeyDescriptor", SAMLNames.metadataSpace) where key.attribute("use") != "encryption" {
      try key.visit { (element) throws(SAMLRefusal) in
        guard element.isNamed("X509Certificate", SAMLNames.signatureSpace), let text = element.plainText else { return }
        guard let pem = SAMLCertificate.pem(text), SAMLCertificate.isStrong(pem) else {
          throw SAMLRefusal("A certificate of the metadata cannot be read, or its key is shorter than 2,048 bits.")
        }
        if !certificates.contains(pem) { certificates.append(pem) }
      }
    }
    guard (1...SAMLLimits.certificatesMax).contains(certificates.count) else {
      throw SAMLRefusal("The metadata has no certificate for signing, or more than \(SAMLLimits.certificatesMax).")
    }
    (identityProviderID, signOnURL, self.certificates) = (name, url, certificates)
  }
}
