import HearthTree

/// A value while a rule runs.
package enum Value: Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  /// The `val()` of a node with children, and the value of a claim that is a list or an object: it is not null, and not
  /// equal to any value, not even to itself.
  case container
}

extension Value {
  init(_ scalar: Scalar?) {
    switch scalar {
    case nil: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .number(Double(value))
    case .double(let value): self = .number(value)
    case .string(let text): self = .string(text)
    }
  }

  init(_ claim: JSON) {
    switch claim {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .number(Double(value))
    case .double(let value): self = .number(value)
    case .string(let text): self = .string(text)
    case .array, .object: self = .container
    }
  }

  /// Compares like `==` of the rules language: without conversions, and texts by code units.
  package static func areEqual(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.number(let x), .number(let y)): x == y
    case (.string(let x), .string(let y)): Text.areEqual(x, y)
    default: false
    }
  }
}
