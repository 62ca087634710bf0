import HearthTree

extension Program {
  /// Returns the value of an operation.
  ///
  /// - Throws: The evaluation error, which ends the rule. Operands that `&&` or `||` skips cannot fail.
  func evaluate(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Operand {
    if context.observation != nil { return try evaluateObserved(index, &context) }
    try step(index, &context)
    return try compute(index, &context)
  }

  private func compute(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Operand {
    switch operations[Int(index)] {
    case .constant(let constant): return operands[Int(constant)]
    case .now:
      context.notes?.before.usesClock = true
      return .number(context.now)
    case .wildcard(let depth): return .string(context.place.key(at: Int(depth)).text)
    case .query(let field): return context.query.value(of: field)
    case .claims, .claimName, .claimIndex, .claimLength: return try claim(index, &context)
    case .textLength(let operand): return .number(Double(try length(operand, index, &context)))
    case .text(let function, let operand, let first, let second):
      return try text(function, operand, first, second, index, &context)
    case .join(let template): return .string(try join(template, index, &context))
    case .value(let function, let chain): return try value(function, chain, index, &context)
    case .negate(let operand): return .number(-(try number(operand, index, &context)))
    case .binary(let binary, let left, let right) where !binary.isComparison:
      return try arithmetic(binary, left, right, index, &context)
    case .conditional(let condition, let then, let otherwise):
      return try evaluate(try truth(condition, &context) ? then : otherwise, &context)
    case .test, .hasAllChildren, .matches, .not, .all, .any, .binary: return .bool(try truth(index, &context))
    case .unusable: throw failure(.wrongType, index)
    }
  }

  /// Returns the value of an operation that must be a Boolean.
  func truth(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Bool {
    if context.observation != nil { return try truthObserved(index, &context) }
    try step(index, &context)
    return try decide(index, &context)
  }

  private func decide(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Bool {
    switch operations[Int(index)] {
    case .all(let first, let count):
      for entry in first..<first + count where !(try truth(lists[Int(entry)], &context)) { return false }
      return true
    case .any(let first, let count):
      for entry in first..<first + count where try truth(lists[Int(entry)], &context) { return true }
      return false
    case .not(let operand): return !(try truth(operand, &context))
    case .binary(let binary, let left, let right) where binary.isComparison:
      return try compare(binary, left, right, index, &context)
    case .conditional(let condition, let then, let otherwise):
      return try truth(try truth(condition, &context) ? then : otherwise, &context)
    case .test(let function, let chain): return try test(function, chain, index, &context)
    case .hasAllChildren(let chain, let templates, let count):
      return try hasAllChildren(chain, templates, count, index, &context)
    case .matches(let operand, let regex):
      let text = try text(operand, index, &context)
      let regex = regexes[Int(regex)]
      try charge(steps: regex.steps(forBytes: text.byteCount ?? 0), index, &context)
      return text.withBytes { regex.matches($0) } ?? false
    default:
      guard case .bool(let value) = try evaluate(index, &context) else { throw failure(.wrongType, index) }
      return value
    }
  }

  // MARK: Observed evaluation, not inlined into the evaluation without observation

  @inline(never)
  private func evaluateObserved(
    _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Operand {
    // True when `truth` or `claim`, which is called to compute the value, records it.
    var isRecordedByCallee = false
    do {
      try step(index, &context)
      isRecordedByCallee = operations[Int(index)].isTruth || operations[Int(index)].isClaim
      let value = try compute(index, &context)
      if !isRecordedByCallee {
        context.observation?.note(index, Value(value))
        if case .constant = operations[Int(index)] { context.observation?.noteImplied(by: index) }
      }
      return value
    } catch {
      if !isRecordedByCallee { context.observation?.noteFailure(index, error) }
      throw error
    }
  }

  @inline(never)
  private func truthObserved(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Bool {
    // True when `evaluate`, which is called to compute the value, records it.
    var isRecordedByCallee = false
    do {
      try step(index, &context)
      isRecordedByCallee = !operations[Int(index)].isTruth && !operations[Int(index)].isConditional
      let truth = try decide(index, &context)
      if !isRecordedByCallee { context.observation?.note(index, truth) }
      return truth
    } catch {
      if !isRecordedByCallee { context.observation?.noteFailure(index, error) }
      throw error
    }
  }

  // MARK: Operators

  /// Returns the value of an operation, with a fast path for constants, because most comparisons have a constant
  /// operand.
  @inline(__always)
  private func comparisonOperand(
    _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Operand {
    guard context.observation == nil, case .constant(let constant) = operations[Int(index)] else {
      return try evaluate(index, &context)
    }
    try step(index, &context)
    return operands[Int(constant)]
  }

  private func compare(
    _ binary: BinaryOperator, _ left: Int32, _ right: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Bool {
    let (a, b) = (try comparisonOperand(left, &context), try comparisonOperand(right, &context))
    if let x = a.byteCount, let y = b.byteCount { try charge(min(x, y), index, &context) }
    switch binary {
    case .equal: return Operand.areEqual(a, b)
    case .notEqual: return !Operand.areEqual(a, b)
    default: break
    }
    if case .number(let x) = a, case .number(let y) = b {
      switch binary {
      case .less: return x < y
      case .lessOrEqual: return x <= y
      case .greater: return x > y
      case .greaterOrEqual: return x >= y
      case .equal, .notEqual, .add, .subtract, .multiply, .divide, .remainder: throw failure(.wrongType, index)
      }
    }
    let order = a.withBytes { x in
      b.withBytes { y -> Bool? in
        switch binary {
        case .less: Text.precedes(x, y)
        case .lessOrEqual: !Text.precedes(y, x)
        case .greater: Text.precedes(y, x)
        case .greaterOrEqual: !Text.precedes(x, y)
        case .equal, .notEqual, .add, .subtract, .multiply, .divide, .remainder: nil
        }
      } ?? nil
    }
    guard let order, let order else { throw failure(.wrongType, index) }
    return order
  }

  private func arithmetic(
    _ binary: BinaryOperator, _ left: Int32, _ right: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Operand {
    let (a, b) = (Value(try evaluate(left, &context)), Value(try evaluate(right, &context)))
    if case .number(let x) = a, case .number(let y) = b {
      switch binary {
      case .add: return .number(x + y)
      case .subtract: return .number(x - y)
      case .multiply: return .number(x * y)
      case .divide: return .number(y == 0 ? .nan : x / y)  // Firebase returns NaN, not infinity.
      case .remainder: return .number(x.truncatingRemainder(dividingBy: y))
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: throw failure(.wrongType, index)
      }
    }
    guard binary == .add else { throw failure(.wrongType, index) }
    switch (a, b) {
    case (.string(let x), .string(let y)): return .string(try joined(x, y, index, &context))
    case (.string(let x), .number(let y)): return .string(try joined(x, NumberText.of(y), index, &context))
    case (.number(let x), .string(let y)): return .string(try joined(NumberText.of(x), y, index, &context))
    default: throw failure(.wrongType, index)
    }
  }

  private func joined(
    _ a: String, _ b: String, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> String {
    let count = a.utf8.count + b.utf8.count
    guard count <= RulesLimits.textBytesMax else { throw failure(.textLimit, index) }
    try charge(count, index, &context)
    return a + b
  }

  // MARK: Operands of one type

  func string(_ operand: Int32, _ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> String {
    guard let text = try evaluate(operand, &context).string else { throw failure(.wrongType, index) }
    return text
  }

  /// Returns an operand that must be a text, without a copy of its bytes.
  func text(_ operand: Int32, _ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Operand {
    let text = try evaluate(operand, &context)
    switch text {
    case .string, .bytes: return text
    case .null, .bool, .number, .container: throw failure(.wrongType, index)
    }
  }

  private func number(
    _ operand: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Double {
    guard case .number(let value) = try evaluate(operand, &context) else { throw failure(.wrongType, index) }
    return value
  }

  // MARK: Steps

  private func step(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) {
    context.stepsLeft -= 1
    if context.stepsLeft < 0 { throw failure(.stepLimit, index) }
  }

  /// Subtracts the steps for reading or building a text.
  func charge(_ bytes: Int, _ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) {
    try charge(steps: bytes >> 6, index, &context)
  }

  private func charge(
    steps: Int, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    // Compared before the subtraction, which could overflow for the steps of a regular expression.
    guard steps <= context.stepsLeft else {
      context.stepsLeft = -1
      throw failure(.stepLimit, index)
    }
    context.stepsLeft -= steps
  }

  func failure(_ code: EvaluationError.Code, _ index: Int32) -> EvaluationError {
    EvaluationError(code, at: Int(offsets[Int(index)]))
  }
}

extension BinaryOperator {
  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .add, .subtract, .multiply, .divide, .remainder: false
    }
  }
}

extension Operation {
  /// True when the result of the operation is always a Boolean, and is computed by `truth`.
  fileprivate var isTruth: Bool {
    switch self {
    case .all, .any, .not, .matches, .hasAllChildren, .test: true
    case .binary(let binary, _, _): binary.isComparison
    default: false
    }
  }

  fileprivate var isConditional: Bool { if case .conditional = self { true } else { false } }

  /// True when the operation is below `auth`: its value may be a list or an object.
  fileprivate var isClaim: Bool {
    switch self {
    case .claims, .claimName, .claimIndex, .claimLength: true
    default: false
    }
  }
}
