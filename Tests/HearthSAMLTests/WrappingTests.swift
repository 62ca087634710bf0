import SAMLTestKit
import Testing

@testable import HearthSAML

/// Tests of signature wrapping, in which a response with a validly signed part presents another one as its content, and
/// of XML with entities.
@Suite struct WrappingTests {
  private static let good = ResponseTests.response()
  private static let evil = ResponseTests.response {
    $0.nameID = "eve@example.com"
    $0.assertionID = "_evil"
    $0.signed = .nothing
  }
  private static let signature = good.signature.element(over: good.assertion(), id: "_assertion", by: .shared)

  /// The eight variants of "On Breaking SAML: Be Whoever You Want to Be" (Somorovsky et al., 2012), by the position of
  /// the signed copy beside the forged one.
  static let variants: [(name: String, text: String)] = {
    let whole = ResponseTests.response { $0.signed = .response }
    let wholeSignature = whole.signature.element(
      over: whole.response("", whole.assertion()), id: "_response", by: .shared)
    let original = whole.response("", whole.assertion())
    func forged(_ signature: String) -> String {
      var evil = ResponseTests.response { $0.signed = .nothing }
      evil.id = "_evil-response"
      evil.nameID = "eve@example.com"
      return evil.response(signature, evil.assertion())
    }
    func inside(_ signature: String, _ content: String) -> String {
      signature.replacing("</Signature>", with: content + "</Signature>")
    }
    let signed = good.signedAssertion
    let bare = good.assertion()
    return [
      ("1: the original response in the signature", forged(inside(wholeSignature, original))),
      ("2: the original response beside the signature", forged(wholeSignature + original)),
      ("3: the forged assertion before the signed one", good.response("", evil.assertion() + signed)),
      (
        "4: the signed assertion in the forged one",
        good.response("", evil.assertion().replacing("</Assertion>", with: signed + "</Assertion>"))
      ),
      (
        "5: the signature in the forged one, the original at the end",
        good.response("", evil.assertion(signature) + bare)
      ),
      (
        "6: the original in the signature of the forged one", good.response("", evil.assertion(inside(signature, bare)))
      ),
      (
        "7: the original in extensions",
        good.response("", "<Extensions>\(bare)</Extensions>" + evil.assertion(signature))
      ),
      (
        "8: the original in an object of the signature",
        good.response("", evil.assertion(inside(signature, "<Object>\(bare)</Object>")))
      ),
    ]
  }()

  @Test("Security 80: a signed assertion with a forged one beside, around or within it is refused", arguments: 0..<8)
  func wrapping(variant: Int) {
    let (name, text) = Self.variants[variant]
    #expect(ResponseTests.refusal(text) != nil, "\(name)")
    // The same with one ID for both assertions.
    #expect(
      ResponseTests.refusal(text.replacing("_evil-response", with: "_response").replacing("_evil", with: "_assertion"))
        != nil, "\(name)")
  }

  @Test(
    "only the signed assertion is read: a second one in another namespace or element has no effect")
  func disguised() {
    let other = Self.evil.assertion().replacing("xmlns=\"\(TestResponse.assertionSpace)\"", with: "xmlns=\"urn:x\"")
    #expect(ResponseTests.refusal(Self.good.response("", other + Self.good.signedAssertion)) != nil)
    let renamed = Self.evil.assertion().replacing("<Assertion", with: "<assertion").replacing(
      "</Assertion", with: "</assertion")
    let verifier = ResponseTests.verifier()
    let read = try? verifier.verifiedAssertion(
      in: Array(Self.good.response("", renamed + Self.good.signedAssertion).utf8), nowSeconds: ResponseTests.now)
    #expect(read == nil || read?.nameID == "ann@example.com")
  }

  @Test(
    "a response with a comment in a name is refused",
    arguments: [
      "ann@example.com<!-- -->.evil.example", "<!---->ann@example.com", "ann<![CDATA[@example.com]]>",
      "ann@example.com<?x y?>.evil.example",
    ])
  func comments(name: String) {
    let response = ResponseTests.response()
    // The signed text has no comment, because canonicalization removes it.
    let plain = name.replacing("<!-- -->", with: "").replacing("<!---->", with: "")
    var signed = response
    signed.nameID = plain
    let text = signed.text.replacing(">\(plain)<", with: ">\(name)<")
    #expect(ResponseTests.refusal(text) != nil)
    #expect(ResponseTests.refusal(ResponseTests.response { $0.nameID = "<b>ann</b>" }.text)?.contains("NameID") == true)
  }

  @Test("a document type is refused before its entities, files and addresses are read")
  func documentTypes() {
    let laughs =
      "<!DOCTYPE r [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]>"
    let file = "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
    let remote = "<!DOCTYPE r SYSTEM \"http://127.0.0.1:1/x.dtd\">"
    for prefix in [laughs, file, remote, "<?xml version=\"1.0\"?>\n\(file)", "<?xml-stylesheet href=\"x\"?>"] {
      let reason = ResponseTests.refusal(prefix + Self.good.text.replacing("ann@", with: "&x;@"))
      #expect(
        reason?.contains("document type") == true || reason?.contains("processing instruction") == true, "\(prefix)")
    }
    #expect(ResponseTests.refusal(Self.good.text.replacing("ann@", with: "&x;@"))?.contains("well formed") == true)
    // In another encoding the same bytes would have another meaning.
    #expect(
      ResponseTests.refusal("<?xml version=\"1.0\" encoding=\"UTF-7\"?>" + Self.good.text)?.contains("encoding") == true
    )
    let wide = laughs.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(throws: SAMLRefusal.self) {
      try ResponseTests.verifier().verifiedAssertion(in: [0xFF, 0xFE] + wide, nowSeconds: 0)
    }
  }

  @Test("size and depth are limited")
  func bounds() {
    let deep = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
    #expect(ResponseTests.refusal(deep) != nil)
    let lessDeep = String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40)
    #expect(ResponseTests.refusal(lessDeep)?.contains("levels of elements") == true)
    let long = "<a>" + String(repeating: " ", count: SAMLLimits.responseBytesMax) + "</a>"
    #expect(ResponseTests.refusal(long)?.contains("bytes") == true)
    let wide = "<a " + (0..<1_000).map { "a\($0)=\"\"" }.joined(separator: " ") + "/>"
    #expect(ResponseTests.refusal(wide)?.contains("attributes") == true)
    for text in ["", "<", "<a", "a", "<a/><b/>", "<a></b>", "\u{0}", "<a>\u{0}</a>"] {
      #expect(ResponseTests.refusal(text) != nil)
    }
  }

  @Test("an encrypted assertion is refused with advice")
  func encrypted() {
    let text = Self.good.response(
      "", "<EncryptedAssertion xmlns=\"\(TestResponse.assertionSpace)\"></EncryptedAssertion>")
    #expect(ResponseTests.refusal(text)?.contains("Disable encryption") == true)
  }
}
