import HearthProgram
import HearthTree

/// The argument for a user's claims.
enum ClaimsText {
  /// Returns the message for a text that is no object: how its claims are written, if it is `name=value`.
  static func problem(_ subject: String, _ text: String) -> String {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    let isPair = parts.count == 2 && parts[0].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    let example: JSON = isPair ? .object([.init(parts[0], value(parts[1]))]) : ["role": "editor"]
    let json = String(decoding: example.text(), as: UTF8.self)
    return "\(subject) must be a JSON object: \(isPair ? "write" : "such as") '\(TextTable.printable(json))'."
  }

  private static func value(_ text: String) -> JSON {
    switch JSON(parsing: text.utf8) {
    case let json? where json.members == nil && json.array == nil: json
    default: .string(text)
    }
  }
}
