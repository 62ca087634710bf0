import HearthRules

/// A writer of canonical texts of expressions. Expressions of rules on the same path mean the same when their canonical
/// texts are equal: `data` at a location and `data.parent()` at its child have the same text.
struct CanonicalText {
  /// The place of the rule, including wildcards.
  let place: [String]

  /// Returns the canonical text; nil for an expression that cannot be compared by its text.
  func text(of expression: TypedExpression) -> String? {
    var text = ""
    return write(expression, to: &text) ? text : nil
  }

  /// Returns the path of a snapshot from the root, and whether the snapshot is of the data after the write; nil when
  /// the path is computed.
  func path(of snapshot: TypedExpression) -> String? {
    guard let (isAfter, steps) = steps(to: snapshot) else { return nil }
    return (isAfter ? "after/" : "before/") + steps.joined(separator: "/")
  }

  /// Returns the path of the rule's own place.
  func ownPath(isAfter: Bool, depth: Int) -> String {
    (isAfter ? "after/" : "before/") + steps(ofDepth: depth).joined(separator: "/")
  }

  private func steps(ofDepth depth: Int) -> [String] {
    place.prefix(depth).enumerated().map { index, name in name.hasPrefix("$") ? "$\(index)" : "=" + name }
  }

  private func steps(to snapshot: TypedExpression) -> (isAfter: Bool, steps: [String])? {
    switch snapshot.form {
    case .snapshot(.root): return (false, [])
    case .snapshot(let base): return (base == .newData, steps(ofDepth: place.count))
    case .child(let receiver, let name):
      guard let (isAfter, steps) = steps(to: receiver), let added = self.steps(below: name) else { return nil }
      return (isAfter, steps + added)
    case .parent(let receiver):
      // A computed step may represent several keys, so its parent is unknown.
      guard let (isAfter, steps) = steps(to: receiver), let last = steps.last, !last.hasPrefix("(") else { return nil }
      return (isAfter, steps.dropLast())
    default: return nil
    }
  }

  private func steps(below name: TypedExpression) -> [String]? {
    switch name.form {
    case .constant(.string(let path)): return path.split(separator: "/").map { "=" + $0 }
    case .wildcard(let index): return ["$\(index)"]
    default: return text(of: name).map { ["(\($0))"] }
    }
  }

  private func write(_ expression: TypedExpression, to text: inout String) -> Bool {
    switch expression.form {
    case .constant(let value):
      text += Self.text(of: value)
      return true
    case .wildcard(let index):
      text += "$\(index)"
      return true
    case .now: text += "now"
    case .auth: text += "auth"
    case .claim(let receiver, let name):
      guard write(receiver, to: &text) else { return false }
      text += "." + Self.quoted(name)
    case .snapshotTest(let snapshot, let function):
      guard let path = path(of: snapshot) else { return false }
      text += Self.quoted(path) + "." + function.rawValue
    case .hasChild(let snapshot, let name):
      guard let path = path(of: snapshot), let steps = steps(below: name) else { return false }
      text += Self.quoted(([path] + steps).joined(separator: "/")) + ".exists"
    case .length(let operand): return write("length", [operand], to: &text)
    case .not(let operand): return write("!", [operand], to: &text)
    case .negate(let operand): return write("-", [operand], to: &text)
    case .text(let receiver, let function, let arguments):
      return write(function.rawValue, [receiver] + arguments, to: &text)
    case .all(let operands): return write("&&", operands, to: &text)
    case .any(let operands): return write("||", operands, to: &text)
    case .conditional(let condition, let then, let otherwise):
      return write("?", [condition, then, otherwise], to: &text)
    case .binary(let binary, let left, let right): return write(binary, left, right, to: &text)
    case .claimIndex, .query, .queryField, .snapshot, .child, .parent, .hasAllChildren, .matches, .unusable:
      return false
    }
    return true
  }

  private func write(
    _ binary: BinaryOperator, _ left: TypedExpression, _ right: TypedExpression, to text: inout String
  ) -> Bool {
    guard binary == .equal || binary == .notEqual else { return write(binary.rawValue, [left, right], to: &text) }
    guard let first = self.text(of: left), let second = self.text(of: right) else { return false }
    text += "\(binary.rawValue)(\(min(first, second)),\(max(first, second)))"
    return true
  }

  private func write(_ name: String, _ operands: [TypedExpression], to text: inout String) -> Bool {
    text += name + "("
    for operand in operands {
      guard write(operand, to: &text) else { return false }
      text += ","
    }
    text += ")"
    return true
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): "#\(value)"
    case .string(let text): quoted(text)
    case .container: "{}"
    }
  }

  private static func quoted(_ text: String) -> String { "\(text.utf8.count)'\(text)" }
}
