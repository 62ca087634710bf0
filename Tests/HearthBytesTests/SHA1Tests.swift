import Testing

@testable import HearthBytes

@Suite("SHA-1 and base64") struct SHA1Tests {
  /// Tests with the examples of FIPS 180-4, and with lengths around every padding boundary.
  @Test(
    "Digests agree with the published vectors",
    arguments: [
      ("", "2jmj7l5rSw0yVb/vlWAYkK/YBwk="),
      ("abc", "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="),
      ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "hJg+RBw70m66rkqh+VEp5eVGcPE="),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "pJskRqAsZFv0GfmVtnCRJToEolk="
      ),
    ]) func agreesWithThePublishedVectors(text: String, digest: String)
  {
    #expect(sha1(text) == digest)
  }

  @Test("A text of a million letters has the published digest") func agreesOnAMillionLetters() {
    #expect(sha1(String(repeating: "a", count: 1_000_000)) == "NKqXPNTE2qT2Husr260nMWU0AW8=")
  }

  @Test("The digest does not depend on how the text is divided") func doesNotDependOnHowTheTextIsCut() {
    let text = Array((0..<300).map { UInt8($0 % 251) })
    for length in 0...130 {
      var whole = SHA1()
      text.prefix(length).withUnsafeBytes { whole.update($0) }
      let expected = whole.finish()
      for cut in 0...length {
        var parts = SHA1()
        text[..<cut].withUnsafeBytes { parts.update($0) }
        text[cut..<length].withUnsafeBytes { parts.update($0) }
        #expect(parts.finish() == expected)
      }
    }
  }

  @Test(
    "Base64 is written with padding",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("\u{FB}\u{F0}", "w7vDsA=="),
    ])
  func writesBase64WithPadding(text: String, expected: String) {
    #expect(Array(text.utf8).withUnsafeBytes { Base64.encode($0) } == expected)
  }

  private func sha1(_ text: String) -> String {
    var sha = SHA1()
    Array(text.utf8).withUnsafeBytes { sha.update($0) }
    return sha.finish().base64
  }
}
