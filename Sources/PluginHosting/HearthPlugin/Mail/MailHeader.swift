import HearthBytes

/// Header fields of mails.
enum MailHeader {
  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// Returns the part behind the `@` of an address that can stand between angle brackets; nil for any other text.
  static func domain(of address: String) -> String? {
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, address.utf8.count <= 254,
      address.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }),
      !address.utf8.contains(where: Set("<>()[]\\,;:\"".utf8).contains)
    else { return nil }
    return String(parts[1])
  }

  static func mailbox(name: String, address: String) -> String {
    let name = clean(name)
    guard !name.isEmpty else { return "<\(address)>" }
    if isPlain(name) {
      let quoted = name.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
      return "\"\(String(quoted))\" <\(address)>"
    }
    return encoded(name, startingAt: 6) + " <\(address)>"
  }

  /// Returns the text of a header field: as it is when it is short ASCII, else encoded words of at most 75 characters,
  /// folded.
  ///
  /// - Parameter startingAt: the column where it begins.
  static func encoded(_ text: String, startingAt column: Int) -> String {
    let text = clean(text)
    if isPlain(text) && column + text.utf8.count <= 76 && !text.contains("=?") { return text }
    // 45 bytes make 60 characters of base64; a character is never cut.
    var words: [String] = []
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      let more = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      if bytes.count + more.count > (words.isEmpty ? 36 : 45) {
        words.append(Base64.encode(bytes))
        bytes = []
      }
      bytes += more
    }
    words.append(Base64.encode(bytes))
    return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
  }

  /// Returns the text with spaces for control characters and line separators, which could end a header.
  private static func clean(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let value = scalar.value
      let isControl = value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
      out.append(isControl ? " " : scalar)
    }
    return String(out)
  }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
}
