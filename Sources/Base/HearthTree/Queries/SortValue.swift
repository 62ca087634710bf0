/// The value that a child is ordered by, with one ranking for all orders: missing, false, true, numbers, texts,
/// interior nodes.
///
/// Numbers are compared as doubles and texts by UTF-16 code unit. Interior nodes are all equal.
enum SortValue: Sendable, Hashable {
  case missing
  case bool(Bool)
  case number(Double)
  /// A text. It is stored as a `Key` because keys are equal by code units; it is not compared in key order.
  case text(Key)
  case interior

  /// Creates the value of a bound; nil stands for `null`.
  init(_ scalar: Scalar?) {
    switch scalar {
    case nil: self = .missing
    case .bool(let value)?: self = .bool(value)
    case .int(let value)?: self = .number(Double(value))
    case .double(let value)?: self = .number(value == 0 ? 0 : value)  // without the sign of a zero
    case .string(let text)?: self = .text(Key(text))
    }
  }

  init(_ node: UnmanagedNode) {
    switch node {
    case .empty: self = .missing
    case .tree: self = .interior
    case .packed(_, let value): self = value.isInterior ? .interior : SortValue(value.scalar)
    }
  }

  /// Returns the order of two values: negative when this is before the other, zero when they are equal, positive when
  /// it is after.
  func compare(_ other: SortValue) -> Int {
    switch (self, other) {
    case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    case (.number(let a), .number(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.text(let a), .text(let b)): a.withUTF8 { x in b.withUTF8 { y in OrderedKey.compareTexts(x, y) } }
    default: kind - other.kind
    }
  }

  private var kind: Int {
    switch self {
    case .missing: 0
    case .bool: 1
    case .number: 2
    case .text: 3
    case .interior: 4
    }
  }

  var isMissing: Bool { if case .missing = self { true } else { false } }
}

extension Query.Order {
  /// Returns the value that determines a child's position. In key order all children are equal, and their keys decide.
  func value(of child: Node) -> SortValue {
    withExtendedLifetime(child) { value(of: UnmanagedNode(child)) }
  }

  func value(of child: UnmanagedNode) -> SortValue {
    switch self {
    case .key: return .missing
    case .priority: return child.hasPriority ? SortValue(child.priority) : .missing
    case .value: return SortValue(child)
    case .child(let path):
      var place = child
      for key in path.keys {
        place = key.withUTF8 { place.child($0) }
        if place.isEmpty { break }
      }
      return SortValue(place)
    }
  }
}
