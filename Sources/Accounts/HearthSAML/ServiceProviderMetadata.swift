/// This server's metadata for identity providers.
package enum ServiceProviderMetadata {
  /// Returns the XML to register there.
  ///
  /// - Parameters:
  ///   - id: this server's entity id.
  ///   - consumerURLs: the addresses for answers; the first is the default.
  ///   - certificates: the certificates of the keys that sign requests, in PEM; empty when requests are not signed.
  package static func text(id: String, consumerURLs: [String], certificates: [String] = []) -> String {
    let keys = certificates.map { pem in
      let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
      return "    <md:KeyDescriptor use=\"signing\"><ds:KeyInfo xmlns:ds=\"\(SAMLNames.signatureSpace)\"><ds:X509Data>"
        + "<ds:X509Certificate>\(SAMLText.escaped(body))</ds:X509Certificate></ds:X509Data></ds:KeyInfo>"
        + "</md:KeyDescriptor>\n"
    }
    let services = consumerURLs.enumerated().map { index, url in
      "    <md:AssertionConsumerService Binding=\"\(SAMLNames.postBinding)\" Location=\"\(SAMLText.escaped(url))\" "
        + "index=\"\(index)\"\(index == 0 ? " isDefault=\"true\"" : "")/>\n"
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <md:EntityDescriptor xmlns:md="\(SAMLNames.metadataSpace)" entityID="\(SAMLText.escaped(id))">
        <md:SPSSODescriptor AuthnRequestsSigned="\(!certificates.isEmpty)" WantAssertionsSigned="true" \
      protocolSupportEnumeration="\(SAMLNames.protocolSpace)">
      \(keys.joined())\(services.joined())  </md:SPSSODescriptor>
      </md:EntityDescriptor>

      """
  }
}
