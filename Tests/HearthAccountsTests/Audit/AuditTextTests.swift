import Testing

@testable import HearthAccounts

@Suite struct AuditTextTests {
  @Test(
    "a logged address omits the local part",
    arguments: [
      ("alice@example.com", "a***@example.com"), ("a@example.com", "***@example.com"), ("é@x", "***@x"),
      ("nothing", "***"), ("", "***"), ("a@b@c", "a***@c"), ("🙂b@x", "🙂***@x"),
    ])
  func masking(email: String, masked: String) {
    #expect(AuditText.masked(email) == masked)
  }

  @Test("a text that is too long is cut, between characters")
  func cutting() {
    #expect(AuditText.clean("abc", sizeBytesMax: 3) == "abc")
    #expect(AuditText.clean("abcd", sizeBytesMax: 3) == "abc…")
    #expect(AuditText.clean("a€", sizeBytesMax: 3) == "a…")
    #expect(AuditText.clean("a\n", sizeBytesMax: 3) == "a…")
  }
}
