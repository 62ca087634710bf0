/// One step of a compiled rule. Operands are indexes of other operations of the same program.
///
/// It consists of numbers only, so that reading one needs no reference counting.
enum Operation: Sendable {
  case constant(Int32)
  case now
  /// The key at an index of the path.
  case wildcard(Int32)
  case query(QueryField)
  /// A claim `auth.a.b`, with the index and count of its names.
  case claims(names: Int32, count: Int32)
  case claimName(Int32, name: Int32)
  case claimIndex(Int32, Int32)
  case claimLength(Int32)
  case textLength(Int32)
  /// A function of a text; the index of an argument that the function does not have is negative.
  case text(TextFunction, Int32, Int32, Int32)
  /// The concatenation of pieces to a text.
  case join(template: Int32)
  case matches(Int32, regex: Int32)
  /// A function of a snapshot whose result is a Boolean.
  case test(SnapshotFunction, chain: Int32)
  /// A function of a snapshot whose result is some other value.
  case value(SnapshotFunction, chain: Int32)
  /// The templates are given by index and count in the program's lists.
  case hasAllChildren(chain: Int32, templates: Int32, count: Int32)
  case not(Int32)
  case negate(Int32)
  /// The operands are given by index and count in the program's lists.
  case all(operands: Int32, count: Int32)
  case any(operands: Int32, count: Int32)
  case binary(BinaryOperator, Int32, Int32)
  case conditional(Int32, Int32, Int32)
  /// An operation that is always an error.
  case unusable
}
