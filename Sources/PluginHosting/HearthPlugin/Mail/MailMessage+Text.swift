extension MailMessage {
  /// Encodes the mail for SMTP (RFC 5322 and MIME): headers and both bodies as alternatives, lines ended by CR LF.
  ///
  /// No text of the message can add a header or end one: control characters in header fields become spaces, and other
  /// characters than ASCII are written there as encoded words (RFC 2047). Bodies are quoted-printable where they need
  /// it.
  ///
  /// - Parameters:
  ///   - dateSeconds: the time in seconds since 1970, shown in UTC.
  ///   - id: letters and digits, unique for each mail; it names the mail and separates its bodies.
  ///   - keepsLongLines: true writes the bodies as they are, in UTF-8, for a file that is read as text.
  /// - Throws: ``MailTextError`` when an address cannot be one, or the id has other characters.
  public func text(dateSeconds: Int64, id: String, keepsLongLines: Bool = false) throws(MailTextError) -> [UInt8] {
    guard !id.isEmpty, id.utf8.allSatisfy(MailHeader.isAlphanumeric) else { throw MailTextError("the mail's id") }
    guard let domain = MailHeader.domain(of: fromAddress) else { throw MailTextError("the sender's address") }
    guard MailHeader.domain(of: to) != nil else { throw MailTextError("the recipient's address") }
    let boundary = "part-" + id
    var lines = [
      "Date: " + MailDate.text(seconds: dateSeconds),
      "From: " + MailHeader.mailbox(name: fromName, address: fromAddress),
      "To: <\(to)>",
      "Message-ID: <\(id)@\(domain)>",
      "Subject: " + MailHeader.encoded(subject, startingAt: 9),
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
      "",
    ]
    for (type, body) in [("plain", self.text), ("html", html)] {
      let part = MailBody(body, keepsLongLines: keepsLongLines)
      lines += [
        "--" + boundary, "Content-Type: text/\(type); charset=utf-8",
        "Content-Transfer-Encoding: " + part.encoding, "",
      ]
      lines += part.lines
    }
    lines += ["--\(boundary)--", ""]
    return Array(lines.joined(separator: "\r\n").utf8)
  }
}

/// A mail that cannot be encoded. Names the field, never its content.
public struct MailTextError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The field that is not valid: `the sender's address`.
  public var field: String

  init(_ field: String) { self.field = field }

  /// A line for the operator's log, without an address.
  public var description: String { "a mail cannot be sent: \(field) is not valid" }
}
