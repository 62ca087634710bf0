/// A value of a JSON or YAML text, with its place.
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

  /// A name in an object and its value. Names are unique.
  package struct Member: Sendable {
    /// The name, its escapes resolved.
    package let name: String
    /// The place at which the name begins.
    package let place: TextOffset
    /// The member's value.
    package let value: LocatedValue
  }

  /// The kind of the value, with its content.
  package let form: Form
  /// The place at which it begins.
  package let place: TextOffset
  /// The number of values in it, itself and the repetitions by aliases included.
  let size: Int
  /// Levels of objects and arrays in it; 0 for a single value.
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

  /// The member of that name; nil when absent or when this is no object.
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

/// A place in a text in the unit of its reader: the file's text turns it into a line and a column for a message.
package enum TextOffset: Sendable {
  /// The number of UTF-8 bytes before it.
  case byte(Int)
  /// The number of Unicode scalars before it.
  case scalar(Int)
}
