import Testing

@testable import HearthConsole

@Suite struct ConsoleHeadersTests {
  @Test("cookies have the port in their name, and with TLS a prefix and more attributes")
  func cookies() {
    #expect(
      ConsoleHeaders.setCookie("v", at: "127.0.0.1:9000", isEncrypted: false)
        == "hearth_console_9000=v; Path=/.console/; HttpOnly; SameSite=Strict")
    #expect(
      ConsoleHeaders.setCookie("", at: "db.example.com", isEncrypted: true)
        == "__Secure-hearth_console=; Path=/.console/; HttpOnly; SameSite=Strict; Secure; Max-Age=0")
    #expect(ConsoleHeaders.cookieName(at: "[::1]:80", isEncrypted: false) == "hearth_console_80")
    #expect(ConsoleHeaders.cookieName(at: "10.0.0.1", isEncrypted: false) == "hearth_console")
  }

  @Test(
    "the cookie is found when there is one",
    arguments: [
      (["hearth_console_9000=v"], "v"), (["a=b; hearth_console_9000=v; c=d"], "v"),
      (["a=b", "hearth_console_9000=v"], "v"), (["hearth_console_9000="], ""), ([], nil), (["a=b"], nil),
      (["hearth_console_9000=v; hearth_console_9000=w"], nil), (["hearth_console_90001=v"], nil),
      (["__Secure-hearth_console_9000=v"], nil), (["xhearth_console_9000=v"], nil),
    ] as [([String], String?)])
  func find(headers: [String], value: String?) {
    #expect(ConsoleHeaders.cookie(in: headers, at: "localhost:9000", isEncrypted: false) == value)
  }

  @Test("only assets with a hash in their name are cached")
  func caching() {
    let value = { (isImmutable: Bool) in
      ConsoleHeaders.all(isImmutable: isImmutable).first { $0.name == "Cache-Control" }?.value
    }
    #expect(value(false) == "no-store")
    #expect(value(true) == "public, max-age=31536000, immutable")
  }
}
