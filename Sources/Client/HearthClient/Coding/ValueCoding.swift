import Foundation

/// The code that encoding and decoding share.
enum ValueCoding {
  /// A coding key for an index or an untyped name.
  struct Name: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ text: String) {
      stringValue = text
      intValue = nil
    }

    init(index: Int) {
      stringValue = String(index)
      intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(index: intValue) }
  }

  /// Returns a value that needs no conversion; nil for a value that does. Doubles need conversion, because infinities
  /// and NaN depend on the settings.
  static func scalar(_ value: some Encodable) -> Any? {
    switch value {
    case let value as String: value
    case let value as Bool: value
    case let value as any FixedWidthInteger & Encodable: value
    default: nil
    }
  }
}

/// The conversion between `oneTwoThree` and `one_two_three`.
enum SnakeCase {
  /// Returns the snake-case name. A capital letter after a small one begins a word, and so does the last of several
  /// capitals before a small letter: `myURLProperty` becomes `my_url_property`.
  static func from(_ text: String) -> String {
    let letters = Array(text)
    var result = ""
    for (i, letter) in letters.enumerated() {
      let followsSmall = i > 0 && !letters[i - 1].isUppercase && letters[i - 1] != "_"
      let precedesSmall = i > 0 && i + 1 < letters.count && letters[i + 1].isLowercase && letters[i - 1] != "_"
      if letter.isUppercase, followsSmall || precedesSmall { result += "_" }
      result += letter.lowercased()
    }
    return result
  }

  /// Returns the camel-case name. Underscores at the beginning and the end stay.
  static func to(_ text: String) -> String {
    let core = text.drop { $0 == "_" }
    let front = text.prefix(text.count - core.count)
    let words = core.split(separator: "_", omittingEmptySubsequences: true)
    guard let first = words.first else { return text }
    let back = core.reversed().prefix { $0 == "_" }
    let joined = words.dropFirst().reduce(words.count == 1 ? String(first) : first.lowercased()) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst().lowercased()
    }
    return front + joined + String(back)
  }
}
