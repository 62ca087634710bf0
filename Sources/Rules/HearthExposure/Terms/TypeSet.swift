/// A set of types that a value may have.
struct TypeSet: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let null = TypeSet(rawValue: 1)
  static let bool = TypeSet(rawValue: 2)
  static let number = TypeSet(rawValue: 4)
  static let text = TypeSet(rawValue: 8)
  /// A node with children; a claim that is a list or an object.
  static let object = TypeSet(rawValue: 16)

  static let any = TypeSet(rawValue: 31)
  static let present: TypeSet = [.bool, .number, .text, .object]
  static let scalar: TypeSet = [.bool, .number, .text]
  /// The types that can be joined to a text.
  static let joinable: TypeSet = [.number, .text]

  /// Every type that is not in the set.
  var others: TypeSet { TypeSet.any.subtracting(self) }
}
