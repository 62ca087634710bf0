import HearthBytes
import HearthCrypto
import HearthTree

/// The authentication request with which a browser is sent to an identity provider.
package struct AuthnRequest: Sendable, Equatable {
  /// The id, which the response repeats.
  package var id: String
  /// This server's entity id.
  package var serviceProviderID: String
  /// The consumer URL for the response.
  package var consumerURL: String
  /// The URL of the identity provider's page.
  package var destination: String
  /// The time of issue, since 1970.
  package var issuedAtSeconds: Int64
  /// True when the user must authenticate although they have a session there.
  package var forcesAuthentication = false

  /// Creates a request.
  package init(
    id: String, serviceProviderID: String, consumerURL: String, destination: String, issuedAtSeconds: Int64
  ) {
    self.id = id
    self.serviceProviderID = serviceProviderID
    self.consumerURL = consumerURL
    self.destination = destination
    self.issuedAtSeconds = issuedAtSeconds
  }

  /// The XML.
  package var text: String {
    "<samlp:AuthnRequest xmlns:samlp=\"\(SAMLNames.protocolSpace)\" xmlns:saml=\"\(SAMLNames.assertionSpace)\" "
      + "ID=\"\(SAMLText.escaped(id))\" Version=\"2.0\" IssueInstant=\"\(SAMLTime.text(issuedAtSeconds))\" "
      + "Destination=\"\(SAMLText.escaped(destination))\"\(forcesAuthentication ? " ForceAuthn=\"true\"" : "") "
      + "ProtocolBinding=\"\(SAMLNames.postBinding)\" "
      + "AssertionConsumerServiceURL=\"\(SAMLText.escaped(consumerURL))\">"
      + "<saml:Issuer>\(SAMLText.escaped(serviceProviderID))</saml:Issuer>"
      + "<samlp:NameIDPolicy AllowCreate=\"true\"/></samlp:AuthnRequest>"
  }

  /// Returns the address that carries the request in the browser: the redirect binding.
  ///
  /// - Parameters:
  ///   - relayState: returned with the answer.
  ///   - sign: makes the RSA signature with SHA-256 of the query; nil for an unsigned request.
  package func redirectURL<Failure: Error>(
    relayState: String, sign: ((_ query: String) throws(Failure) -> [UInt8])?
  ) throws(Failure) -> String {
    var query =
      "SAMLRequest=" + PercentEncoding.encode(Base64.encode(Self.stored(Array(text.utf8)))) + "&RelayState="
      + PercentEncoding.encode(relayState)
    if let sign {
      query += "&SigAlg=" + PercentEncoding.encode("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256")
      query += "&Signature=" + PercentEncoding.encode(Base64.encode(try sign(query)))
    }
    return destination + (destination.contains("?") ? "&" : "?") + query
  }

  /// Encodes bytes as an uncompressed DEFLATE block (RFC 1951 §3.2.4): a request has some hundred bytes.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      out += [rest.isEmpty ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
      out += block
    } while !rest.isEmpty
    return out
  }
}
