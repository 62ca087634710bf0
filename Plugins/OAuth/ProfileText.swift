import HearthTree

/// Texts from a provider's profile, which are dropped when they have another type, are too long, or contain invalid
/// characters.
enum ProfileText {
  private static let lengthMax = 256
  private static let urlBytesMax = 2_048

  /// Returns a name, or nil when it is invalid.
  static func line(_ value: JSON?) -> String? {
    guard let text = value?.string, !text.isEmpty, text.unicodeScalars.count <= lengthMax, isOneLine(text) else {
      return nil
    }
    return text
  }

  /// Returns the address of a picture, or nil when it is invalid. Some providers, and test suites, still use `http:`;
  /// the server never fetches it.
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

  /// Returns an ID, which providers encode as a number or as a text.
  static func id(_ value: JSON?) -> String? {
    switch value {
    case .string(let text): (1...255).contains(text.utf8.count) && isOneLine(text) ? text : nil
    case .int(let number): number > 0 ? String(number) : nil
    default: nil
    }
  }

  /// Returns true for `true`, which some providers encode as a text.
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
