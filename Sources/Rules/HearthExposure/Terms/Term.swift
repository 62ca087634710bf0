import HearthRules
import HearthTree

/// The number of a ``Term`` in its ``TermTable``.
typealias TermID = Int
/// The number of a ``Place`` in its ``TermTable``.
typealias PlaceID = Int
/// The number of a ``Scope`` in its ``TermTable``.
typealias ScopeID = Int

/// The tree in which a place is looked up.
enum Side: Hashable, Sendable {
  /// The tree before the write: `data` and `root`.
  case old
  /// The tree after the write: `newData`.
  case new
}

/// A symbolic value: the value of an expression for an unknown request.
enum Term: Hashable {
  case null
  case bool(Bool)
  /// A number, never `-0`, which no rule can distinguish from `0`, and never NaN.
  case number(Double)
  case text(Key)
  /// A key of the path, by its number among the table's wildcards.
  case wildcard(Int)
  /// A claim `auth.a.b`, by its member names.
  case claim([Key])
  /// A claim below another one, with a computed name.
  case computedClaim(TermID, TermID)
  /// The `length` of a claim that is a list or an object.
  case claimLength(TermID)
  case now
  case query(QueryField)
  case value(Side, PlaceID)
  case priority(Side, PlaceID)
  /// The concatenation of texts, and of numbers as texts.
  case joined([TermID])
  case length(TermID)
  /// The result of a function for a text and its arguments, in this order.
  case applied(TextFunction, [TermID])
  case arithmetic(BinaryOperator, TermID, TermID)
  case negative(TermID)

  /// The value of a constant; nil for everything else.
  var constant: Value? {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let value): .number(value)
    case .text(let text): .string(text.text)
    default: nil
    }
  }

  /// The terms of which this one is composed.
  var arguments: [TermID] {
    switch self {
    case .computedClaim(let a, let b), .arithmetic(_, let a, let b): [a, b]
    case .claimLength(let a), .length(let a), .negative(let a): [a]
    case .joined(let parts), .applied(_, let parts): parts
    case .null, .bool, .number, .text, .now, .wildcard, .value, .priority, .claim, .query: []
    }
  }

  /// Returns true when one of the arguments fulfils a condition.
  func hasArguments(where isSuch: (TermID) -> Bool) -> Bool {
    switch self {
    case .computedClaim(let a, let b), .arithmetic(_, let a, let b): isSuch(a) || isSuch(b)
    case .claimLength(let a), .length(let a), .negative(let a): isSuch(a)
    case .joined(let parts), .applied(_, let parts): parts.contains(where: isSuch)
    case .null, .bool, .number, .text, .now, .wildcard, .value, .priority, .claim, .query: false
    }
  }

  /// Returns the same term with other arguments.
  func mapArguments(_ transform: (TermID) -> TermID) -> Term {
    switch self {
    case .computedClaim(let a, let b): .computedClaim(transform(a), transform(b))
    case .claimLength(let a): .claimLength(transform(a))
    case .joined(let parts): .joined(parts.map(transform))
    case .length(let a): .length(transform(a))
    case .applied(let function, let arguments): .applied(function, arguments.map(transform))
    case .arithmetic(let binary, let a, let b): .arithmetic(binary, transform(a), transform(b))
    case .negative(let a): .negative(transform(a))
    case .null, .bool, .number, .text, .now, .wildcard, .value, .priority, .claim, .query: self
    }
  }
}
