import SAMLTestKit
import Testing

@testable import HearthSAML

/// Tests of identity providers' responses: complete ones are accepted, and those with any defect are refused.
@Suite struct ResponseTests {
  static let now = SAMLTime.seconds("2026-11-28T10:01:00Z") ?? 0

  static func verifier(_ certificates: [TestIdentityProvider] = [.shared]) -> SAMLResponseVerifier {
    SAMLResponseVerifier(
      identityProviderID: TestIdentityProvider.shared.id, certificates: certificates.map(\.certificate),
      serviceProviderID: "https://sp.example.com", consumerURL: "https://auth.example.com/__/auth/handler",
      requestID: "_question")
  }

  static func response(_ change: (inout TestResponse) -> Void = { _ in }) -> TestResponse {
    var response = TestResponse(of: .shared, to: "_question")
    change(&response)
    return response
  }

  static func refusal(
    _ text: String, _ verifier: SAMLResponseVerifier = ResponseTests.verifier(), at now: Int64 = ResponseTests.now
  ) -> String? {
    do throws(SAMLRefusal) {
      _ = try verifier.verifiedAssertion(in: Array(text.utf8), nowSeconds: now)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(
    "a valid response names the user: with its assertion signed, the whole response, or both",
    arguments: [TestResponse.Signed.assertion, .response, .both])
  func right(signed: TestResponse.Signed) throws {
    let response = Self.response {
      $0.signed = signed
      $0.attributes = [("mail", ["ann@example.com"]), ("groups", ["a", "b &amp; c"])]
    }
    let assertion = try Self.verifier([.untrusted, .shared]).verifiedAssertion(in: response.bytes, nowSeconds: Self.now)
    #expect(assertion.nameID == "ann@example.com" && assertion.hasEmailNameID && assertion.id == "_assertion")
    #expect(assertion.attributes.map(\.name) == ["mail", "groups"])
    #expect(assertion.attributes.last?.values == ["a", "b & c"])
  }

  @Test("responses without a signature, or with a foreign one, are refused")
  func unsigned() {
    #expect(Self.refusal(Self.response { $0.signed = .nothing }.text)?.contains("signed") == true)
    for signed in [TestResponse.Signed.assertion, .response, .both] {
      let foreign = Self.response {
        $0.provider = .untrusted
        $0.signed = signed
      }
      #expect(Self.refusal(foreign.text)?.contains("does not match the configured certificates") == true)
    }
  }

  @Test("a key embedded in the signature is ignored")
  func keyInfo() {
    let response = Self.response {
      $0.provider = .untrusted
      $0.signature.keyInfo =
        "<KeyInfo><X509Data><X509Certificate>\(TestIdentityProvider.untrusted.certificateBody)</X509Certificate></X509Data>"
        + "</KeyInfo>"
    }
    #expect(Self.refusal(response.text)?.contains("does not match the configured certificates") == true)
    let own = Self.response { $0.signature.keyInfo = response.signature.keyInfo }
    #expect(Self.refusal(own.text) == nil)
  }

  @Test("a response changed after signing is refused")
  func changed() {
    for signed in [TestResponse.Signed.assertion, .response, .both] {
      let text = Self.response { $0.signed = signed }.text
      #expect(Self.refusal(text.replacing("ann@example.com", with: "eve@example.com")) != nil)
    }
  }

  @Test(
    "only listed algorithms are accepted: no HMAC with a public key, no algorithm none, SHA-1 only where configured")
  func algorithms() {
    for algorithm in [TestSignature.Algorithm.hmacWithCertificate, .none] {
      let response = Self.response { $0.signature.algorithm = algorithm }
      #expect(Self.refusal(response.text)?.contains("an unsupported algorithm") == true)
    }
    let old = Self.response { $0.signature.algorithm = .sha1 }
    #expect(Self.refusal(old.text)?.contains("SHA-1") == true)
    var verifier = Self.verifier()
    verifier.allowsSHA1 = true
    #expect(Self.refusal(old.text, verifier) == nil)
    #expect(Self.refusal(Self.response().text, verifier) == nil)
  }

  @Test(
    "only the enveloped-signature transform and exclusive canonicalization are accepted",
    arguments: [
      "http://www.w3.org/TR/1999/REC-xslt-19991116", "http://www.w3.org/TR/1999/REC-xpath-19991116",
      "http://www.w3.org/2001/10/xml-exc-c14n#WithComments", "http://www.w3.org/2000/09/xmldsig#base64",
    ])
  func transforms(further: String) {
    let more = Self.response { $0.signature.transforms.append(further) }
    #expect(Self.refusal(more.text)?.contains("does not cover the whole") == true)
    let other = Self.response { $0.signature.canonicalisation = further }
    #expect(Self.refusal(other.text)?.contains("must use the canonicalisation") == true)
    let none = Self.response { $0.signature.transforms = [] }
    #expect(Self.refusal(none.text)?.contains("does not cover the whole") == true)
  }

  @Test("a reference must point to the element itself: not to a file, a URL, another element or the whole document")
  func references() {
    for uri in [
      "", "file:///etc/passwd", "http://127.0.0.1/", "#_other", "#xpointer(/)", "#xpointer(id('_assertion'))",
    ] {
      let response = Self.response { $0.signature.uri = uri }
      #expect(Self.refusal(response.text)?.contains("another element") == true, "\(uri)")
    }
    let twice = Self.response {
      $0.signature.furtherReference =
        "<Reference URI=\"#_assertion\"><DigestMethod Algorithm=\"x\"></DigestMethod></Reference>"
    }
    #expect(Self.refusal(twice.text)?.contains("Reference twice") == true)
  }

  @Test("another audience, issuer, recipient or request is refused, each with its own error")
  func conditions() {
    let foreign = "https://other.example.com"
    #expect(Self.refusal(Self.response { $0.audience = foreign }.text)?.contains("Audience") == true)
    #expect(Self.refusal(Self.response { $0.issuer = foreign }.text)?.contains("Issuer") == true)
    let elsewhere = Self.response { $0.consumerURL = "https://evil.example.com/" }
    #expect(Self.refusal(elsewhere.text)?.contains("Destination") == true)
    #expect(
      Self.refusal(elsewhere.response("", elsewhere.signedAssertion).replacing("Destination=", with: "Consent="))?
        .contains("Recipient") == true)
    let other = Self.response { $0.requestID = "_another" }
    #expect(Self.refusal(other.text)?.contains("InResponseTo") == true)
    let withoutInResponseTo = other.text.replacing(" InResponseTo=\"_another\" IssueInstant", with: " IssueInstant")
    #expect(Self.refusal(withoutInResponseTo)?.contains("starts at the identity provider") == true)
  }

  @Test("an assertion without InResponseTo is refused, even in a response that has it")
  func unsolicited() {
    let response = Self.response { $0.signed = .nothing }
    let bare = response.assertion().replacing(" InResponseTo=\"_question\"", with: "").replacing(
      "InResponseTo=\"_question\" ", with: "")
    let signature = response.signature.element(over: bare, id: "_assertion", by: .shared)
    let text = response.response("", bare.replacing("</Issuer>", with: "</Issuer>" + signature))
    #expect(Self.refusal(text)?.contains("InResponseTo") == true)
  }

  @Test("an assertion is valid within its period, with clock tolerance")
  func times() throws {
    let text = Self.response().text
    let (start, end) = (Self.now - 60, Self.now + 240)
    #expect(
      Self.refusal(text, at: start - 60) == nil && Self.refusal(text, at: start - 61)?.contains("not valid yet") == true
    )
    #expect(Self.refusal(text, at: end + 59) == nil && Self.refusal(text, at: end + 60)?.contains("expired") == true)
    #expect(Self.refusal(text, at: .max)?.contains("expired") == true)
    #expect(Self.refusal(text, at: .min)?.contains("not valid yet") == true)
    for wrong in ["", "yesterday", "2026-11-28T10:05:00", "2026-11-28T10:05:00+02:00", "2026-02-30T10:05:00Z"] {
      let response = Self.response { $0.notOnOrAfter = wrong }
      #expect(Self.refusal(response.text)?.contains("not a UTC time") == true, "\(wrong)")
    }
  }

  @Test("times are encoded in the form in which they are parsed")
  func moments() {
    for text in ["1970-01-01T00:00:00Z", "2000-02-29T23:59:59Z", "2026-12-31T00:00:01Z", "2100-03-01T12:00:00Z"] {
      #expect(SAMLTime.seconds(text).map(SAMLTime.text) == text)
    }
    #expect(SAMLTime.seconds("2026-11-28T10:01:00.999Z") == Self.now && Self.now == 1_795_860_060)
  }

  @Test("an identity provider's failure status is reported with its name")
  func denied() {
    let response = Self.response { $0.status = "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed" }
    do throws(SAMLRefusal) {
      _ = try Self.verifier().verifiedAssertion(in: response.bytes, nowSeconds: Self.now)
      Issue.record("it was taken")
    } catch {
      #expect(error.isDenial && error.reason == "The identity provider did not sign in the user: AuthnFailed.")
    }
  }
}
