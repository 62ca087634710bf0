/// Sanitising of texts from users or other servers, for one line of a mail or a response.
enum PlainText {
  /// Returns at most `lengthMax` Unicode scalars of the text, with a space for each control character, line separator
  /// and direction mark.
  static func line(_ text: String, lengthMax: Int) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(lengthMax) {
      switch scalar.properties.generalCategory {
      // The zero-width non-joiner and joiner occur in Persian names and in emoji sequences.
      case .format where scalar == "\u{200C}" || scalar == "\u{200D}": out.append(scalar)
      case .control, .lineSeparator, .paragraphSeparator, .format: out.append(" ")
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}

extension UInt8 {
  /// True when the byte is an ASCII letter or digit.
  package var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
