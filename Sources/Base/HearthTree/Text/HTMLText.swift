/// Texts in HTML, for e-mails and for the server's pages.
package enum HTMLText {
  /// Returns the text, escaped for use between tags and in quoted attributes.
  ///
  /// - Parameter other: Returns the replacement of a character that the page or file must not contain; nil for a
  ///   character that is kept.
  package static func escaped(_ text: String, other: (Unicode.Scalar) -> String? = { _ in nil }) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      if let other = other(scalar) {
        escaped += other
        continue
      }
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
