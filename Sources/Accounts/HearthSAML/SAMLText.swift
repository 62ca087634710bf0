/// Escaping of texts in generated markup.
enum SAMLText {
  static func escaped(_ text: String) -> String {
    var out = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      // Characters that XML 1.0 cannot contain.
      case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": out += "\u{FFFD}"
      case "\t", "\n", "\r": out += "&#\(character.value);"
      default: out.unicodeScalars.append(character)
      }
    }
    return out
  }
}
