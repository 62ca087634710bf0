import HearthRules

/// A plain statement about terms.
enum Literal {
  /// Its type is one of these.
  case types(TermID, TypeSet)
  /// `a == b` as the language has it is true, or false.
  case equal(TermID, TermID, Bool)
  /// Both are numbers, and `a < b`, or `a <= b` when it is not strict.
  case order(TermID, TermID, isStrict: Bool)
  /// Both are numbers, and `a < b` (`a <= b`) is false; it is also false for NaN.
  case noOrder(TermID, TermID, isStrict: Bool)
  /// Both are texts, and `a` comes before `b`, or may be the same when it is not strict.
  case textOrder(TermID, TermID, isStrict: Bool)
  /// It is a text that fits a pattern of the table, or does not.
  case fits(TermID, Int, Bool)
  /// Two texts of which neither is known.
  case relates(TextRelation, TermID, TermID, Bool)
}

/// What is to be true of an expression.
enum Sense {
  /// It is true, without error.
  case holds
  /// It is false, without error.
  case fails
  /// Evaluating it is an error. What follows from it may be said of more than that, never of less.
  case errs
  /// It is false or an error: the rule does not grant.
  case denies
}

/// Something that a request must make true.
enum Goal {
  case literal(Literal)
  case formula(Sense, TypedExpression, ScopeID)
  /// One of these, each a list of goals.
  case either([[Goal]])
}

/// What a text is compared with that is known beforehand.
enum TextPattern {
  case regex(LinearRegex)
  case contains(String)
  case begins(String)
  case ends(String)

  /// The texts that have a relation to a part.
  init(_ relation: TextRelation, _ part: String) {
    self =
      switch relation {
      case .contains: .contains(part)
      case .beginsWith: .begins(part)
      case .endsWith: .ends(part)
      }
  }

  /// Returns true when the text fits, as the evaluator finds it.
  func accepts(_ text: String) -> Bool {
    switch self {
    case .regex(let regex): regex.matches(text)
    case .contains(let part): Text.contains(text, part)
    case .begins(let part): Text.begins(text, with: part)
    case .ends(let part): Text.ends(text, with: part)
    }
  }
}
