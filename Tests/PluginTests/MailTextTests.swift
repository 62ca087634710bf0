import HearthPlugin
import Testing

@Suite struct MailTextTests {
  static func message(
    to: String = "bob@example.com", fromName: String = "Hearth", from: String = "noreply@example.com",
    subject: String = "Reset your password", text: String = "Open\nhttps://a.example/?x=1\n", html: String = "<p>Hi</p>"
  ) -> MailMessage {
    MailMessage(
      kind: .resetPassword, to: to, fromName: fromName, fromAddress: from, subject: subject, text: text, html: html)
  }

  static func lines(_ message: MailMessage, keepsLongLines: Bool = false) throws -> [String] {
    let text = String(
      decoding: try message.text(dateSeconds: 1_795_303_682, id: "abc123", keepsLongLines: keepsLongLines),
      as: UTF8.self)
    #expect(!text.replacing("\r\n", with: "").contains("\r"))
    #expect(!text.replacing("\r\n", with: "").contains("\n"))
    return text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("a plain mail has the expected lines")
  func plain() throws {
    #expect(
      try Self.lines(Self.message()) == [
        "Date: Sat, 21 Nov 2026 23:28:02 +0000", "From: \"Hearth\" <noreply@example.com>", "To: <bob@example.com>",
        "Message-ID: <abc123@example.com>", "Subject: Reset your password", "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0", "Content-Type: multipart/alternative; boundary=\"part-abc123\"", "",
        "--part-abc123", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 7bit", "",
        "Open", "https://a.example/?x=1", "",
        "--part-abc123", "Content-Type: text/html; charset=utf-8", "Content-Transfer-Encoding: 7bit", "", "<p>Hi</p>",
        "--part-abc123--", "",
      ])
  }

  @Test(
    "Security 43: no text of a mail adds a header line",
    arguments: [
      "x\r\nBcc: eve@example.com", "x\nBcc: eve@example.com", "x\rBcc: e", "x\u{85}Bcc: e", "x\u{2028}Bcc: e",
      "\r\n\r\nbody",
    ])
  func injection(text: String) throws {
    let lines = try Self.lines(Self.message(fromName: text, subject: text))
    let head = lines.prefix { !$0.isEmpty }
    #expect(head.count { !$0.hasPrefix(" ") } == 8)
    #expect(!head.contains { $0.hasPrefix("Bcc") })
    #expect(head.contains { $0.hasPrefix("Content-Type: multipart/alternative") })
  }

  @Test(
    "Security 43: a list of addresses is refused",
    arguments: [
      "bob@example.com\r\nBcc: eve@example.com", "bob@example.com>, <eve@example.com", "bob", "a@b@c", "@b", "a@",
      "a b@c", "a@b\u{0}", "",
    ])
  func addresses(address: String) {
    #expect(throws: MailTextError.self) { try Self.message(to: address).text(dateSeconds: 0, id: "a") }
    #expect(throws: MailTextError.self) { try Self.message(from: address).text(dateSeconds: 0, id: "a") }
  }

  @Test("a name's quotes are escaped")
  func quotes() throws {
    let lines = try Self.lines(Self.message(fromName: #"A "B" \ C"#))
    #expect(lines.contains(#"From: "A \"B\" \\ C" <noreply@example.com>"#))
  }

  @Test("non-ASCII letters are sent as encoded words and quoted-printable, in short lines")
  func unicode() throws {
    let long = String(repeating: "Grüße 🐵 ", count: 20)
    let lines = try Self.lines(Self.message(fromName: "Bücher", subject: long, text: long + "=\nzwei "))
    #expect(lines.contains("From: =?utf-8?B?QsO8Y2hlcg==?= <noreply@example.com>"))
    #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { $0 < 0x80 } })
    #expect(lines.contains("Content-Transfer-Encoding: quoted-printable"))
    #expect(lines.contains { $0.hasPrefix("Gr=C3=BC=C3=9Fe =F0=9F=90=B5") })
    #expect(lines.contains("zwei=20"))
  }

  @Test("a file for developers keeps its lines")
  func file() throws {
    let link = "https://a.example/?" + String(repeating: "x", count: 1_200)
    let lines = try Self.lines(Self.message(text: "Grüße\r\n" + link), keepsLongLines: true)
    #expect(lines.contains("Grüße"))
    #expect(lines.contains(link))
    #expect(try !Self.lines(Self.message(text: link)).contains(link))
  }

  @Test("dates of leap years and of the first and last year are formatted")
  func dates() throws {
    func date(_ seconds: Int64) throws -> String? {
      let text = String(decoding: try Self.message().text(dateSeconds: seconds, id: "a"), as: UTF8.self)
      return text.split(separator: "\r\n").first.map(String.init)
    }
    #expect(try date(0) == "Date: Thu, 01 Jan 1970 00:00:00 +0000")
    #expect(try date(951_782_400) == "Date: Tue, 29 Feb 2000 00:00:00 +0000")
    #expect(try date(1_709_251_199) == "Date: Thu, 29 Feb 2024 23:59:59 +0000")
    #expect(try date(4_107_542_400) == "Date: Mon, 01 Mar 2100 00:00:00 +0000")
    #expect(try date(.min) == "Date: Thu, 01 Jan 1970 00:00:00 +0000")
    #expect(try date(.max) == "Date: Fri, 31 Dec 9999 23:59:59 +0000")
  }
}
