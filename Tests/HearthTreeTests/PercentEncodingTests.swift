import HearthTree
import Testing

@Suite struct PercentEncodingTests {
  @Test func `invalid escapes stay unchanged`() {
    func decode(_ text: String, plusIsSpace: Bool = false) -> String? {
      PercentEncoding.decodeLeniently(text.utf8, plusIsSpace: plusIsSpace)
    }
    #expect(decode("a%20b%2f%2F") == "a b//")
    #expect(decode("100%") == "100%")
    #expect(decode("%4") == "%4")
    #expect(decode("%zz%41") == "%zzA")
    #expect(decode("a+b") == "a+b")
    #expect(decode("a+b%2B", plusIsSpace: true) == "a b+")
    #expect(decode("%C3%A9") == "é")
    #expect(decode("%FF") == nil)
  }

  @Test func `an invalid escape is refused where escapes are required`() {
    #expect(PercentEncoding.decode("a%20b%2F+".utf8) == "a b/+")
    #expect(PercentEncoding.decode("a+b%2B".utf8, plusIsSpace: true) == "a b+")
    for text in ["100%", "%4", "%zz", "%FF"] { #expect(PercentEncoding.decode(text.utf8) == nil) }
  }

  @Test func `encoded text is decoded`() {
    for text in ["", "a b", "%", "é/ü?&=+#", "-._~", "\u{0}\u{1F600}"] {
      let encoded = PercentEncoding.encode(text)
      #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      #expect(PercentEncoding.decode(encoded.utf8) == text)
    }
    #expect(PercentEncoding.encode("a~b c/é") == "a~b%20c%2F%C3%A9")
  }

  @Test func `a form is parsed into names and values`() {
    let pairs = PercentEncoding.pairs("a=1+2&&b&c=%3D=".utf8)
    #expect(pairs?.map(\.name) == ["a", "b", "c"])
    #expect(pairs?.map(\.value) == ["1 2", "", "=="])
    #expect(PercentEncoding.pairs("a=%".utf8) == nil)
  }
}
