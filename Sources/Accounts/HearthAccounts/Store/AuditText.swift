/// Escaping of untrusted text in the audit trail.
enum AuditText {
  /// Returns a text that cannot begin a line, end a field, or control a terminal: invisible characters become `\u{…}`,
  /// and long texts are cut.
  static func clean(_ text: String, sizeBytesMax: Int) -> String {
    var clean = String.UnicodeScalarView()
    var sizeBytes = 0
    for scalar in text.unicodeScalars {
      let shown = isVisible(scalar) ? [scalar] : Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      sizeBytes += shown.reduce(0) { $0 + UTF8.width($1) }
      guard sizeBytes <= sizeBytesMax else {
        clean.append("…")
        break
      }
      clean.append(contentsOf: shown)
    }
    return String(clean)
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// `a***@example.com` for `alice@example.com`.
  static func masked(_ email: String) -> String {
    guard let at = email.lastIndex(of: "@") else { return "***" }
    let local = email[..<at]
    let shown = local.unicodeScalars.count > 1 ? local.unicodeScalars.first.map(String.init) ?? "" : ""
    return shown + "***" + email[at...]
  }
}
