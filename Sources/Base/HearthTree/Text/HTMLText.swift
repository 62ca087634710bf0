/// Texts in HTML, for mails and for the server's pages.
package enum HTMLText {
  /// The text, escaped for use between tags and in quoted attributes.
  ///
  /// - Parameter other: the replacement of a character that the page or file may not hold as it is; nil leaves it.
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
