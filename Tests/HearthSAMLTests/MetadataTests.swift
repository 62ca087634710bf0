import HearthCrypto
import SAMLTestKit
import Testing

@testable import HearthSAML

/// Tests of metadata in both directions, and of requests.
@Suite struct MetadataTests {
  private static func metadata(
    _ body: String, id: String = "https://idp.example.com/meta",
    binding: String = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
  ) -> String {
    """
    <?xml version="1.0"?>
    <!-- of the company -->
    <EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="\(id)">
    <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">\(body)
    <SingleSignOnService Binding="\(binding)" Location="https://idp.example.com/sso?x=1&amp;y=2"/>
    </IDPSSODescriptor></EntityDescriptor>
    """
  }

  private static func key(_ certificate: String, use: String = "") -> String {
    "<KeyDescriptor\(use)><KeyInfo xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><X509Data><X509Certificate>\n"
      + "\(certificate)\n</X509Certificate></X509Data></KeyInfo></KeyDescriptor>"
  }

  @Test("metadata has the entity id, the sign-in page and the signing certificates")
  func reading() throws {
    let body =
      Self.key(TestIdentityProvider.shared.certificateBody, use: " use=\"signing\"")
      + Self.key(TestIdentityProvider.shared.certificateBody)
      + Self.key("not for signing", use: " use=\"encryption\"")
    let read = try IdentityProviderMetadata(Array(Self.metadata(body).utf8))
    #expect(read.identityProviderID == "https://idp.example.com/meta")
    #expect(read.signOnURL == "https://idp.example.com/sso?x=1&y=2")
    #expect(read.certificates == [TestIdentityProvider.shared.certificate])
  }

  @Test("unusable metadata is refused with the missing part")
  func unusable() {
    func reason(_ text: String, id: String? = nil) -> String? {
      do throws(SAMLRefusal) {
        _ = try IdentityProviderMetadata(Array(text.utf8), id: id)
        return nil
      } catch {
        return error.reason
      }
    }
    let good = Self.metadata(Self.key(TestIdentityProvider.shared.certificateBody))
    #expect(
      reason(good) == nil && reason(good, id: "https://other.example.com")?.contains("no identity provider") == true)
    #expect(reason(Self.metadata(""))?.contains("no certificate") == true)
    #expect(reason(Self.metadata(Self.key("AAAA")))?.contains("cannot be read") == true)
    #expect(
      reason(Self.metadata(Self.key(TestIdentityProvider.shared.certificateBody), binding: "x"))?.contains(
        "HTTP-Redirect")
        == true)
    let bare = good.split(separator: "\n").dropFirst(2).joined(separator: "\n")
    let two =
      "<EntitiesDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\">\(bare)"
      + bare.replacing("/meta", with: "/other") + "</EntitiesDescriptor>"
    #expect(reason(two)?.contains("2 identity providers") == true)
    #expect(reason(two, id: "https://idp.example.com/other") == nil)
    #expect(reason("<!DOCTYPE a>" + bare)?.contains("document type") == true)
  }

  @Test("a certificate is accepted in the forms in which users paste it, and refused when it is invalid")
  func certificates() {
    let pem = TestIdentityProvider.shared.certificate
    let body = TestIdentityProvider.shared.certificateBody
    for text in [
      pem, body, "  \(body)\r\n", "Bag Attributes\r\n" + pem.replacing("\n", with: "\r\n"),
      pem.replacing("\n", with: ""),
    ] {
      #expect(SAMLCertificate.pem(text) == pem)
    }
    for text in ["", "x", "-----BEGIN CERTIFICATE-----", pem + pem, "AAAA", String(repeating: "A", count: 20_000)] {
      #expect(SAMLCertificate.pem(text) == nil)
    }
  }

  @Test("the server's metadata names its entity id and response URL, for any characters in names")
  func own() throws {
    let text = ServiceProviderMetadata.text(
      id: "https://sp.example.com/\"<&>",
      consumerURLs: ["https://a.example.com/__/auth/handler", "https://b.example.com/"])
    let document = try SAMLDocument(Array(text.utf8), sizeBytesMax: 10_000)
    #expect(document.root.attribute("entityID") == "https://sp.example.com/\"<&>")
    let services = document.root.children.first?.all("AssertionConsumerService", SAMLNames.metadataSpace) ?? []
    #expect(
      services.map { $0.attribute("Location") } == ["https://a.example.com/__/auth/handler", "https://b.example.com/"])
  }

  @Test("a request is XML in DEFLATE in Base64 in a URL")
  func question() throws {
    let request = AuthnRequest(
      id: "_q", serviceProviderID: "https://sp.example.com/?a&b",
      consumerURL: "https://auth.example.com/__/auth/handler",
      destination: "https://idp.example.com/sso?x=1", issuedAtSeconds: 1_795_860_060)
    let document = try SAMLDocument(Array(request.text.utf8), sizeBytesMax: 10_000)
    #expect(document.root.attribute("ID") == "_q" && document.root.attribute("IssueInstant") == "2026-11-28T10:01:00Z")
    #expect(document.root.children.first?.plainText == "https://sp.example.com/?a&b")
    let url = request.redirectURL(relayState: "a b", sign: nil as ((String) -> [UInt8])?)
    #expect(url.hasPrefix("https://idp.example.com/sso?x=1&SAMLRequest=") && url.hasSuffix("&RelayState=a%20b"))
    let signed = request.redirectURL(relayState: "a b") { query in
      #expect("https://idp.example.com/sso?x=1&\(query)".hasPrefix(url))
      return [1, 2, 3]
    }
    #expect(signed.hasSuffix("rsa-sha256&Signature=AQID"))
  }
}
