/// The reason why a rule has no value. Such a rule counts as false.
public struct EvaluationError: Error, Sendable, Equatable {
  /// The closed list of reasons; their texts are never renamed.
  public enum Code: String, Sendable, CaseIterable {
    /// An operand or argument has a type that the operator or method does not take.
    case wrongType
    /// `parent()` of the database root.
    case noParent
    /// The rule took more steps than ``RulesLimits`` allows.
    case stepLimit
    /// A text grew beyond the limit of ``RulesLimits``.
    case textLimit

    /// A sentence for a log.
    public var message: String {
      switch self {
      case .wrongType: "an operand has a type that this operation does not accept"
      case .noParent: "the database root has no parent"
      case .stepLimit: "the rule needed too many steps"
      case .textLimit: "a string became too long"
      }
    }
  }

  /// The reason why the rule could not be evaluated.
  public var code: Code
  /// UTF-8 bytes from the start of the expression's text to the part that failed.
  public var offset: Int

  /// Makes an error at a byte of the rule's text.
  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// A sentence for a log.
  public var message: String { code.message }
}
