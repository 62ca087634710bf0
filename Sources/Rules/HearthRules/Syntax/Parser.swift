/// A parser of one rule: the supported subset of JavaScript's expressions, with JavaScript's precedence.
struct Parser {
  private var lexer: Lexer
  private var token: Token
  /// The end of the last consumed token.
  private var end = 0
  private var depth = 0
  private var nodes = 0

  static func parse(_ text: String) throws(ExpressionProblem) -> Expression {
    var lexer = Lexer(text)
    let first = try lexer.next()
    var parser = Parser(lexer: lexer, token: first)
    return try parser.rule()
  }

  private init(lexer: Lexer, token: Token) {
    self.lexer = lexer
    self.token = token
  }

  private mutating func rule() throws(ExpressionProblem) -> Expression {
    if token.form == .end {
      throw ExpressionProblem("Invalid rule expression.  Expected 'true', 'false', or an expression string.", at: 0)
    }
    let expression = try conditional()
    if token.form == .mark(.semicolon) { try advance() }
    guard token.form == .end else { throw unexpected("missing ; before statement") }
    return expression
  }

  // MARK: Operators

  private mutating func conditional() throws(ExpressionProblem) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= RulesLimits.expressionNestingMax else { throw tooDeep() }
    let condition = try disjunction()
    guard token.form == .mark(.question) else { return condition }
    try advance()
    let then = try conditional()
    try expect(.colon, "missing : in conditional expression")
    let otherwise = try conditional()
    return try node(
      .conditional(condition, then: then, otherwise: otherwise), from: condition,
      over: [condition, then, otherwise])
  }

  private mutating func disjunction() throws(ExpressionProblem) -> Expression {
    var operands = [try conjunction()]
    while token.form == .mark(.or) {
      try advance()
      operands.append(try conjunction())
    }
    return operands.count == 1 ? operands[0] : try node(.any(operands), from: operands[0], over: operands)
  }

  private mutating func conjunction() throws(ExpressionProblem) -> Expression {
    var operands = [try binary(1)]
    while token.form == .mark(.and) {
      try advance()
      operands.append(try binary(1))
    }
    return operands.count == 1 ? operands[0] : try node(.all(operands), from: operands[0], over: operands)
  }

  /// Reads operators with at least the given precedence, left to right.
  private mutating func binary(_ precedence: Int) throws(ExpressionProblem) -> Expression {
    var left = try unary()
    while case .mark(let mark) = token.form, let found = BinaryOperator.of(mark), found.precedence >= precedence {
      try advance()
      let right = try binary(found.precedence + 1)
      left = try node(.binary(found.operator, left, right), from: left, over: [left, right])
    }
    return left
  }

  private mutating func unary() throws(ExpressionProblem) -> Expression {
    guard case .mark(let mark) = token.form, mark == .not || mark == .minus else { return try postfix() }
    depth += 1
    defer { depth -= 1 }
    guard depth <= RulesLimits.expressionNestingMax else { throw tooDeep() }
    let start = token.range.lowerBound
    try advance()
    let operand = try unary()
    return try node(mark == .not ? .not(operand) : .negate(operand), from: start, over: [operand])
  }

  // MARK: Members, calls and primaries

  private mutating func postfix() throws(ExpressionProblem) -> Expression {
    var expression = try primary()
    while case .mark(let mark) = token.form {
      switch mark {
      case .dot:
        try advance()
        guard case .identifier(let name) = token.form else { throw unexpected("missing name after . operator") }
        try advance()
        expression = try node(.member(expression, name: name), from: expression, over: [expression])
      case .openBracket:
        try advance()
        let index = try conditional()
        try expect(.closeBracket, "missing ] in index expression")
        expression = try node(
          .subscripted(expression, index: index), from: expression, over: [expression, index])
      case .openParenthesis:
        try advance()
        let arguments = try list(until: .closeParenthesis, "missing ) after argument list")
        expression = try node(.call(expression, arguments), from: expression, over: [expression] + arguments)
      default: return expression
      }
    }
    return expression
  }

  private mutating func list(until close: Mark, _ problem: String) throws(ExpressionProblem) -> [Expression] {
    var elements: [Expression] = []
    while token.form != .mark(close) {
      if !elements.isEmpty { try expect(.comma, problem) }
      // An array may end with one comma, which adds no element.
      if close == .closeBracket, !elements.isEmpty, token.form == .mark(close) { break }
      elements.append(try conditional())
    }
    try advance()
    return elements
  }

  private mutating func primary() throws(ExpressionProblem) -> Expression {
    let start = token.range.lowerBound
    switch token.form {
    case .number(let value): return try literal(.number(value))
    case .string(let text): return try literal(.string(text))
    case .identifier("true"): return try literal(.bool(true))
    case .identifier("false"): return try literal(.bool(false))
    case .identifier("null"): return try literal(.null)
    case .identifier(let name):
      if let problem = Self.refusal(ofWord: name) { throw ExpressionProblem(problem, at: start) }
      return try literal(.variable(name))
    case .mark(.openParenthesis):
      try advance()
      let inner = try conditional()
      try expect(.closeParenthesis, "missing ) in parenthetical")
      return Expression(form: inner.form, range: start..<end, offset: inner.offset, height: inner.height)
    case .mark(.openBracket):
      try advance()
      let elements = try list(until: .closeBracket, "missing ] after element list")
      return try node(.array(elements), from: start, over: elements)
    case .mark(.divide), .mark(.divideAssign):
      let (body, flags) = try lexer.regularExpression(at: start)
      token = Token(form: .end, range: start..<lexer.offset)
      return try literal(.regularExpression(body: body, flags: flags))
    default: throw unexpected("syntax error")
    }
  }

  private mutating func literal(_ form: Expression.Form) throws(ExpressionProblem) -> Expression {
    let start = token.range.lowerBound
    try advance()
    return try node(form, from: start, over: [])
  }

  // MARK: Tokens, nodes and problems

  private mutating func advance() throws(ExpressionProblem) {
    end = token.range.upperBound
    token = try lexer.next()
  }

  private mutating func expect(_ mark: Mark, _ problem: String) throws(ExpressionProblem) {
    guard token.form == .mark(mark) else { throw unexpected(problem) }
    try advance()
  }

  /// Creates a node that begins with its first operand.
  private mutating func node(
    _ form: Expression.Form, from first: Expression, over children: [Expression]
  ) throws(ExpressionProblem) -> Expression {
    try node(form, from: first.range.lowerBound, problemsAt: first.offset, over: children)
  }

  private mutating func node(
    _ form: Expression.Form, from start: Int, problemsAt offset: Int? = nil, over children: [Expression]
  ) throws(ExpressionProblem) -> Expression {
    nodes += 1
    let height = 1 + (children.lazy.map(\.height).max() ?? 0)
    guard height <= RulesLimits.expressionHeightMax else { throw tooDeep() }
    guard nodes <= RulesLimits.expressionNodesMax else {
      throw ExpressionProblem("Rule expression is too long.", at: start)
    }
    return Expression(form: form, range: start..<end, offset: offset ?? start, height: height)
  }

  private func tooDeep() -> ExpressionProblem {
    ExpressionProblem("Rule expression is nested too deeply.", at: token.range.lowerBound)
  }

  /// Returns the problem with the current token: that of an unsupported construct, otherwise `problem`.
  private func unexpected(_ problem: String) -> ExpressionProblem {
    let start = token.range.lowerBound
    guard case .mark(let mark) = token.form else {
      if case .identifier(let name) = token.form, let refusal = Self.refusal(ofWord: name) {
        return ExpressionProblem(refusal, at: start)
      }
      return ExpressionProblem(problem, at: start)
    }
    if mark.isAssignment {
      return ExpressionProblem(
        "Rule expressions may not contain assignments.", help: "Compare with == instead of =.", at: start)
    }
    if mark.isBitwise {
      return ExpressionProblem("Rule expressions may not contain bitwise operators.", at: start)
    }
    switch mark {
    case .plus where problem == "syntax error":
      return ExpressionProblem("Rule expressions may not contain unary + operators.", at: start)
    case .openBrace: return ExpressionProblem("Rule expressions may not contain object literals.", at: start)
    case .comma where depth == 0:
      return ExpressionProblem("Rule expressions may not contain comma operators.", at: start)
    default: return ExpressionProblem(problem, at: start)
    }
  }

  private static func refusal(ofWord name: String) -> String? {
    switch name {
    case "typeof", "void", "delete", "in", "instanceof", "new": "Rule expressions may not contain \(name) operators."
    case "this", "function": "Rule expressions may not contain \(name) expressions."
    case "var", "if", "else", "for", "while", "do", "return", "switch", "case", "default", "break", "continue", "throw",
      "try", "catch", "finally", "with", "const", "let", "class", "enum", "export", "import", "extends", "super",
      "debugger", "yield":
      "syntax error"
    default: nil
    }
  }
}
