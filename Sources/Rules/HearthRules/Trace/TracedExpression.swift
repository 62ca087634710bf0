import HearthTree

/// A part of a rule, with its position and its result.
public struct TracedExpression: Sendable, Equatable {
  /// The result of a part.
  public enum Result: Sendable, Equatable {
    /// The part was not evaluated: an earlier operand decided.
    case notReached
    /// The part has a value.
    case value(TracedValue)
    /// The part is an error.
    case error(EvaluationError.Code)
  }

  /// The range in the rule's text, in UTF-8 bytes, including surrounding parentheses.
  public var range: Range<Int>
  /// The text as written, or its beginning.
  public var text: String
  /// The 1-based line of the rules file.
  public var line: Int
  /// The 1-based column in the line, in characters.
  public var column: Int
  /// The line in which it ends.
  public var endLine: Int
  /// The column after its last character.
  public var endColumn: Int
  /// True when it is a literal.
  public var isLiteral: Bool
  /// The result.
  public var result: Result
  /// The operands, in the order of the text.
  public var operands: [TracedExpression]
}

/// A read of the database.
public struct TracedRead: Sendable, Equatable {
  /// The path.
  public var path: Path
  /// True for a read of the database after the write.
  public var isAfter: Bool
  /// The aspects of the node that were read.
  public var aspects: ReadDependencies.Aspects
  /// The value that was read, according to the aspect: the node's value, its priority, or whether the node or its
  /// children exist.
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

  /// The name of the aspect: `value`, `priority`, `exists` or `hasChildren`.
  public var aspect: String {
    switch aspects {
    case .priority: "priority"
    case .existence: "exists"
    case .children: "hasChildren"
    default: "value"
    }
  }
}
