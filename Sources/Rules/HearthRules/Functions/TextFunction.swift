/// A function of texts whose arguments are texts.
package enum TextFunction: String, Sendable, CaseIterable {
  case contains
  case beginsWith
  case endsWith
  case replace
  case toLowerCase
  case toUpperCase

  /// The signature and the documentation.
  package var descriptor: FunctionDescriptor {
    switch self {
    case .contains: makeDescriptor(["text"], .boolean, "true if the string contains the other")
    case .beginsWith: makeDescriptor(["text"], .boolean, "true if the string begins with the other")
    case .endsWith: makeDescriptor(["text"], .boolean, "true if the string ends with the other")
    case .replace: makeDescriptor(["text", "replacement"], .string, "the string with every occurrence replaced")
    case .toLowerCase: makeDescriptor([], .string, "the string in lower case")
    case .toUpperCase: makeDescriptor([], .string, "the string in upper case")
    }
  }

  private func makeDescriptor(_ parameters: [String], _ type: StaticType, _ result: String) -> FunctionDescriptor {
    FunctionDescriptor(name: rawValue, receiver: .text, parameters: .texts(parameters), type: type, result: result)
  }

  /// The work that a call is charged for in addition to reading its text once.
  enum Cost {
    case none
    /// A search: it compares byte by byte.
    case search
    /// A change of case: beyond ASCII, it takes ten times as long as reading a text.
    case changeOfCase
    /// Two searches, and the text of the result.
    case replacement
  }

  /// The work that a call is charged for.
  var cost: Cost {
    switch self {
    case .beginsWith, .endsWith: .none
    case .contains: .search
    case .replace: .replacement
    case .toLowerCase, .toUpperCase: .changeOfCase
    }
  }

  /// Returns the result for a text and the arguments; arguments that the function does not have are ignored. nil when
  /// the result would be a text of more than `limitBytes` bytes.
  func result(for text: String, _ first: String, _ second: String, limitBytes: Int) -> Operand? {
    switch self {
    case .contains: .bool(Text.contains(text, first))
    case .beginsWith: .bool(Text.begins(text, with: first))
    case .endsWith: .bool(Text.ends(text, with: first))
    case .replace: Text.replace(text, first, second, limitBytes: limitBytes).map { .string($0) }
    case .toLowerCase: Self.bounded(text.lowercased(), limitBytes)
    case .toUpperCase: Self.bounded(text.uppercased(), limitBytes)
    }
  }

  private static func bounded(_ text: String, _ limitBytes: Int) -> Operand? {
    text.utf8.count <= limitBytes ? .string(text) : nil
  }

  /// Returns the result for a text, followed by the arguments. nil when it would be a text of more than `limitBytes`
  /// bytes, or when an argument is missing.
  package func result(for texts: [String], limitBytes: Int) -> Value? {
    guard texts.count == descriptor.textCount + 1 else { return nil }
    let padded = texts + ["", ""]
    return result(for: padded[0], padded[1], padded[2], limitBytes: limitBytes).map { Value($0) }
  }
}
