import HearthTree

/// Times in SAML's form, always in UTC: `2026-11-28T10:00:00Z`, with or without a fraction (core, §1.3.3).
enum SAMLTime {
  /// Parses a UTC time to seconds since 1970; nil for an invalid one. A fraction is dropped.
  static func seconds(_ text: String) -> Int64? {
    guard text.hasSuffix("Z") || text.hasSuffix("+00:00"), text.utf8.dropFirst(10).first == UInt8(ascii: "T"),
      let milliseconds = Timestamp.milliseconds(text), milliseconds >= 0
    else { return nil }
    return milliseconds / 1_000
  }

  /// Formats a time to the second, from 1970 to 9999.
  static func text(_ seconds: Int64) -> String {
    let bounded = min(max(0, seconds), 253_402_300_799)
    return Timestamp.text(milliseconds: bounded * 1_000).prefix(19) + "Z"
  }
}
