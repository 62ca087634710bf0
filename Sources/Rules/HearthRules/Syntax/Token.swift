/// A token of an expression.
struct Token: Sendable, Equatable {
  enum Form: Sendable, Equatable {
    case number(Double)
    case string(String)
    case identifier(String)
    /// An operator, a bracket or another mark.
    case mark(Mark)
    case end
  }

  var form: Form
  /// The range in the expression's text, in UTF-8 bytes.
  var range: Range<Int>
}

/// Operators and brackets. Those that the language does not support are included, so that error messages can name them.
enum Mark: String, Sendable, CaseIterable {
  case dot = "."
  case comma = ","
  case semicolon = ";"
  case colon = ":"
  case question = "?"
  case openParenthesis = "("
  case closeParenthesis = ")"
  case openBracket = "["
  case closeBracket = "]"
  case openBrace = "{"
  case closeBrace = "}"
  case not = "!"
  case plus = "+"
  case minus = "-"
  case times = "*"
  case divide = "/"
  case remainder = "%"
  case equal = "=="
  case identical = "==="
  case notEqual = "!="
  case notIdentical = "!=="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case and = "&&"
  case or = "||"
  case assign = "="
  case plusAssign = "+="
  case minusAssign = "-="
  case timesAssign = "*="
  case divideAssign = "/="
  case remainderAssign = "%="
  case bitAnd = "&"
  case bitOr = "|"
  case bitXor = "^"
  case bitNot = "~"
  case shiftLeft = "<<"
  case shiftRight = ">>"
  case unsignedShiftRight = ">>>"
  case bitAndAssign = "&="
  case bitOrAssign = "|="
  case bitXorAssign = "^="
  case increment = "++"
  case decrement = "--"

  var isAssignment: Bool {
    switch self {
    case .assign, .plusAssign, .minusAssign, .timesAssign, .divideAssign, .remainderAssign, .bitAndAssign, .bitOrAssign,
      .bitXorAssign, .increment, .decrement:
      true
    default: false
    }
  }

  var isBitwise: Bool {
    switch self {
    case .bitAnd, .bitOr, .bitXor, .bitNot, .shiftLeft, .shiftRight, .unsignedShiftRight: true
    default: false
    }
  }
}
