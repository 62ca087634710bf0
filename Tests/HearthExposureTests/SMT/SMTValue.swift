/// A value of the rules language as SMT-LIB terms: its type, and a value for each type.
struct SMTValue {
  enum Kind: Int {
    case null, bool, number, text, object
  }

  /// A ``Kind`` as an Int term.
  var kind: String
  var bool = "false"
  var number = "0.0"
  var text = "\"\""

  static let null = SMTValue(kind: "0")
  static let object = SMTValue(kind: "4")

  static func bool(_ term: String) -> SMTValue { SMTValue(kind: "1", bool: term) }
  static func number(_ term: String) -> SMTValue { SMTValue(kind: "2", number: term) }
  static func text(_ term: String) -> SMTValue { SMTValue(kind: "3", text: term) }

  func isKind(_ kind: Kind) -> String { "(= \(self.kind) \(kind.rawValue))" }

  static func either(_ condition: String, _ a: SMTValue, _ b: SMTValue) -> SMTValue {
    func pick(_ x: String, _ y: String) -> String { x == y ? x : "(ite \(condition) \(x) \(y))" }
    return SMTValue(
      kind: pick(a.kind, b.kind), bool: pick(a.bool, b.bool), number: pick(a.number, b.number),
      text: pick(a.text, b.text))
  }

  /// Returns the term of `==` in the rules language.
  static func areEqual(_ a: SMTValue, _ b: SMTValue) -> String {
    """
    (and (= \(a.kind) \(b.kind)) (or (= \(a.kind) 0) (and (= \(a.kind) 1) (= \(a.bool) \(b.bool))) \
    (and (= \(a.kind) 2) (= \(a.number) \(b.number))) (and (= \(a.kind) 3) (= \(a.text) \(b.text)))))
    """
  }

  static func literal(_ text: String) -> String {
    var result = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x22: result += "\"\""
      case 0x20...0x7E where unit != 0x5C: result.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
      default: result += "\\u{\(String(unit, radix: 16))}"
      }
    }
    return result + "\""
  }

  /// Returns the literal of a number, or nil when it is not a plain decimal.
  static func literal(_ number: Double) -> String? {
    guard number.isFinite, number.magnitude < 1e15 else { return nil }
    let text = number.magnitude.description
    guard !text.contains("e") else { return nil }
    return number < 0 ? "(- \(text))" : text
  }
}

enum SMT {
  static func all(_ terms: [String]) -> String {
    let rest = terms.filter { $0 != "true" }
    return rest.isEmpty ? "true" : rest.count == 1 ? rest[0] : "(and \(rest.joined(separator: " ")))"
  }

  static func any(_ terms: [String]) -> String {
    let rest = terms.filter { $0 != "false" }
    return rest.isEmpty ? "false" : rest.count == 1 ? rest[0] : "(or \(rest.joined(separator: " ")))"
  }

  static func not(_ term: String) -> String { "(not \(term))" }
}
