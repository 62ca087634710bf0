/// The reason why a rule has no value. Such a rule counts as false.
public struct EvaluationError: Error, Sendable, Equatable {
  /// The reasons. Their raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// An operand or argument has a type that the operator or method does not accept.
    case wrongType
    /// `parent()` of the database root.
    case noParent
    /// The rule took more steps than ``RulesLimits`` allows.
    case stepLimit
    /// A text grew beyond the limit of ``RulesLimits``.
    case textLimit

    /// A message for logs, in one sentence.
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
  /// The offset of the failed part in the expression's text, in UTF-8 bytes.
  public var offset: Int

  /// Creates an error at a byte of the rule's text.
  public init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  /// A message for logs, in one sentence.
  public var message: String { code.message }
}
