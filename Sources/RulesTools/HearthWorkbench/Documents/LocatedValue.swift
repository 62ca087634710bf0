/// A value of a JSON or YAML text, with its offset.
package struct LocatedValue: Sendable {
  /// The kind of a value, with its content.
  package enum Form: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([LocatedValue])
    case object([Member])
  }

  /// A name in an object, which is unique, and its value.
  package struct Member: Sendable {
    /// The name, its escapes resolved.
    package let name: String
    /// The offset at which the name begins.
    package let place: TextOffset
    /// The member's value.
    package let value: LocatedValue
  }

  /// The kind of the value, with its content.
  package let form: Form
  /// The offset at which the value begins.
  package let place: TextOffset
  /// The number of values in it, including itself, and repeatedly for each alias.
  let size: Int
  /// The number of levels of objects and arrays; 0 for a single value.
  let depth: Int

  init(_ form: Form, at place: TextOffset) {
    self.form = form
    self.place = place
    switch form {
    case .array(let elements):
      size = elements.reduce(1) { $0 + $1.size }
      depth = 1 + (elements.map(\.depth).max() ?? 0)
    case .object(let members):
      size = members.reduce(1) { $0 + $1.value.size }
      depth = 1 + (members.map(\.value.depth).max() ?? 0)
    default: (size, depth) = (1, 0)
    }
  }

  /// The member with the name; nil when it is absent or when this is not an object.
  package subscript(name: String) -> LocatedValue? {
    guard case .object(let members) = form else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The kind of the value, for a sentence.
  var kind: String {
    switch form {
    case .null: "null"
    case .bool: "a boolean"
    case .int, .double: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// An offset in a text, in the unit of the reader that produced it. ``DocumentText`` converts it to a line and a
/// column.
package enum TextOffset: Sendable {
  /// The number of UTF-8 bytes before it.
  case byte(Int)
  /// The number of Unicode scalars before it.
  case scalar(Int)
}
