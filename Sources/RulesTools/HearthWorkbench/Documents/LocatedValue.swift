/// A value of a JSON or YAML text that knows where it stands.
package struct LocatedValue: Sendable {
  /// What it is.
  package enum Form: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([LocatedValue])
    case object([Member])
  }

  /// A name in an object, and what it stands for. No name is there twice.
  package struct Member: Sendable {
    /// The name, its escapes resolved.
    package let name: String
    /// The place where the name begins.
    package let place: TextPlace
    /// What it stands for.
    package let value: LocatedValue
  }

  /// What it is.
  package let form: Form
  /// The place where it begins.
  package let place: TextPlace
  /// The number of values that it is, itself and what an alias repeats included.
  let size: Int
  /// Levels of objects and arrays in it; 0 for a single value.
  let depth: Int

  init(_ form: Form, at place: TextPlace) {
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

  /// What it is, for a sentence.
  var kind: String {
    switch form {
    case .null: "null"
    case .bool: "a boolean"
    case .int, .double: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// A place in a text as its reader counts: each file's text turns it into a line and a column when somebody has to be
/// told.
package enum TextPlace: Sendable {
  /// UTF-8 bytes before it.
  case byte(Int)
  /// Unicode scalars before it.
  case scalar(Int)
}
