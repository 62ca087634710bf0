import HearthTree

/// A part of a rule, where it stands and what it came to.
public struct TracedExpression: Sendable, Equatable {
  /// What came of it.
  public enum Result: Sendable, Equatable {
    /// It was not evaluated: an operand before it decided.
    case notReached
    /// It has a value.
    case value(TracedValue)
    /// It has none.
    case error(EvaluationError.Code)
  }

  /// UTF-8 bytes of the rule's text, parentheses around it included.
  public var range: Range<Int>
  /// As it is written, or the beginning of it.
  public var text: String
  /// 1-based line of the rules file.
  public var line: Int
  /// 1-based column in that line, in characters.
  public var column: Int
  /// The line that it ends in.
  public var endLine: Int
  /// The column behind its last character.
  public var endColumn: Int
  /// True when it is written as the value that it is.
  public var isLiteral: Bool
  /// What it came to.
  public var result: Result
  /// Its parts, in the order of the text.
  public var operands: [TracedExpression]
}

/// One look at the database.
public struct TracedRead: Sendable, Equatable {
  /// Where.
  public var path: Path
  /// True when at the database as it would be after the write.
  public var isAfter: Bool
  /// What of the node was looked at.
  public var aspects: ReadDependencies.Aspects
  /// What was there: the value, the priority when that was asked for, or whether there is something.
  public var value: TracedValue
}

extension TracedRead {
  init(_ read: Observation.Read) {
    path = Path(read.keys.prefix(DataLimits.depthMax).map { Key(TracedValue.beginning(of: $0.text)) })
    isAfter = read.isAfter
    aspects = read.aspects
    value =
      switch read.aspects {
      case .priority: TracedValue(Value(read.node.priority))
      case .existence: .bool(!read.node.isEmpty)
      case .children: .bool(read.node.isInterior)
      default: TracedValue(read.node)
      }
  }

  /// What was looked at, in a word: `value`, `priority`, `exists` or `hasChildren`.
  public var aspect: String {
    switch aspects {
    case .priority: "priority"
    case .existence: "exists"
    case .children: "hasChildren"
    default: "value"
    }
  }
}
