import HearthRules

/// A relation between a text and a part of it.
enum TextRelation {
  case contains
  case beginsWith
  case endsWith
}

/// An elementary statement about terms.
enum Literal {
  /// The term's type is one of these.
  case types(TermID, TypeSet)
  /// The result of `a == b` is true, or false.
  case equal(TermID, TermID, Bool)
  /// The terms are numbers, and `a < b`, or `a <= b` when it is not strict.
  case order(TermID, TermID, isStrict: Bool)
  /// The terms are numbers, and `a < b` (`a <= b`) is false; it is also false for NaN.
  case noOrder(TermID, TermID, isStrict: Bool)
  /// The terms are texts, and `a` comes before `b`, or may be equal to it when it is not strict.
  case textOrder(TermID, TermID, isStrict: Bool)
  /// The term is a text that fits a pattern of the table, or does not.
  case fits(TermID, Int, Bool)
  /// A relation of two unknown texts holds, or does not.
  case relates(TextRelation, TermID, TermID, Bool)
}

/// The required outcome of an expression.
enum Sense {
  /// The expression is true, without error.
  case holds
  /// The expression is false, without error.
  case fails
  /// The evaluation is an error. The conditions may hold for more requests than those with the error, but never for
  /// fewer.
  case errs
  /// The expression is false or an error: the rule does not grant.
  case denies
}

/// A condition that a request must satisfy.
enum Goal {
  case literal(Literal)
  case formula(Sense, TypedExpression, ScopeID)
  /// One of these alternatives, each a list of goals.
  case either([[Goal]])
}

/// A known pattern with which a text is compared.
enum TextPattern {
  case regex(LinearRegex)
  case contains(String)
  case begins(String)
  case ends(String)

  /// Creates the pattern of the texts that have a relation to a part.
  init(_ relation: TextRelation, _ part: String) {
    self =
      switch relation {
      case .contains: .contains(part)
      case .beginsWith: .begins(part)
      case .endsWith: .ends(part)
      }
  }

  /// Returns true when the text fits, computed like the evaluator.
  func accepts(_ text: String) -> Bool {
    switch self {
    case .regex(let regex): regex.matches(text)
    case .contains(let part): Text.contains(text, part)
    case .begins(let part): Text.begins(text, with: part)
    case .ends(let part): Text.ends(text, with: part)
    }
  }
}
