import HearthTree

/// Texts from a provider's profile: left out when they are of another kind, too long, or have characters that no such
/// text has.
enum ProfileText {
  private static let lengthMax = 256
  private static let urlBytesMax = 2_048

  /// A name.
  static func line(_ value: JSON?) -> String? {
    guard let text = value?.string, !text.isEmpty, text.unicodeScalars.count <= lengthMax, isOneLine(text) else {
      return nil
    }
    return text
  }

  /// The address of a picture. Some providers, and test suites, still say `http:`; it is shown to clients and never
  /// fetched from here.
  static func url(_ value: JSON?) -> String? {
    guard let text = value?.string, text.utf8.count <= urlBytesMax,
      ["https://", "http://"].contains(where: text.hasPrefix),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    return text
  }

  static func email(_ value: JSON?) -> String? {
    guard let text = value?.string, text.utf8.count <= 255, isOneLine(text), !text.contains(" ") else { return nil }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty ? text : nil
  }

  /// An id, which providers write as a number or as a text.
  static func id(_ value: JSON?) -> String? {
    switch value {
    case .string(let text): (1...255).contains(text.utf8.count) && isOneLine(text) ? text : nil
    case .int(let number): number > 0 ? String(number) : nil
    default: nil
    }
  }

  /// `true`, which some providers write as a text.
  static func isTrue(_ value: JSON?) -> Bool { value?.bool == true || value?.string == "true" }

  private static func isOneLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }
}
