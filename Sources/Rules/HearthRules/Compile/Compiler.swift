import HearthTree

/// A compiler of checked expressions to programs, which also computes the parts that do not depend on the request.
struct Compiler {
  var program = ProgramDraft()
  /// The recorder of sites; nil when the rule is compiled without observation.
  var sites: SiteRecorder?

  init(keepsSites: Bool = false) {
    if keepsSites { sites = SiteRecorder() }
  }

  mutating func compile(_ expression: TypedExpression) -> Int32 {
    switch expression.form {
    case .constant(let value): return constant(value, expression)
    case .now: return emit(.now, expression)
    case .wildcard(let depth): return emit(.wildcard(Int32(depth)), expression)
    case .auth, .claim, .claimIndex: return claims(expression)
    case .query, .snapshot, .child, .parent, .unusable: return emit(.unusable, expression)
    case .queryField(let receiver, let field): return queryField(receiver, field, expression)
    case .snapshotTest(let receiver, let function): return call(function, chains(receiver), expression)
    case .hasChild(let receiver, let path):
      return call(.exists, chains(receiver).appending(.child(template: template(path))), expression)
    case .hasAllChildren(let receiver, let names):
      let templates = list(names.map { template($0) })
      return hasAllChildren(chains(receiver), templates, Int32(names.count), expression)
    case .length(let receiver):
      let operand = compile(receiver)
      return emit(receiver.type == .auth ? .claimLength(operand) : .textLength(operand), expression, [operand])
    case .text(let receiver, let function, let arguments):
      let operand = compile(receiver)
      let others = arguments.map { compile($0) }
      let (first, second) = (others.first ?? -1, others.dropFirst().first ?? -1)
      return emit(.text(function, operand, first, second), expression, [operand] + others)
    case .matches(let receiver, let regex):
      program.regexes.append(regex)
      return emit(.matches(compile(receiver), regex: Int32(program.regexes.count - 1)), expression)
    case .not, .negate, .all, .any, .binary, .conditional: return operation(expression)
    }
  }

  private mutating func operation(_ expression: TypedExpression) -> Int32 {
    switch expression.form {
    case .not(let operand):
      let compiled = compile(operand)
      return emit(.not(compiled), expression, [compiled])
    case .negate(let operand):
      let compiled = compile(operand)
      return emit(.negate(compiled), expression, [compiled])
    case .all(let operands):
      let compiled = operands.map { compile($0) }
      return emit(.all(operands: list(compiled), count: Int32(compiled.count)), expression, compiled)
    case .any(let operands):
      let compiled = operands.map { compile($0) }
      return emit(.any(operands: list(compiled), count: Int32(compiled.count)), expression, compiled)
    case .binary(.add, _, _) where expression.type == .string: return join(expression)
    case .binary(let binary, let left, let right):
      let (first, second) = (compile(left), compile(right))
      return emit(.binary(binary, first, second), expression, [first, second])
    case .conditional(let condition, let then, let otherwise):
      let operands = [compile(condition), compile(then), compile(otherwise)]
      return emit(.conditional(operands[0], operands[1], operands[2]), expression, operands)
    default: return emit(.unusable, expression)
    }
  }

  // MARK: Texts and paths

  /// Compiles a sum that is always a text to a join of its parts.
  private mutating func join(_ expression: TypedExpression) -> Int32 {
    var draft = TemplateDraft()
    appendOperands(of: expression, to: &draft)
    if let bytes = draft.literal {
      let index = constant(.string(String(decoding: bytes, as: UTF8.self)), expression)
      let sums = draft.marks.map { implied($0, in: bytes) }
      sites?.imply(sums, by: index)
      return index
    }
    return emit(.join(template: add(PathTemplate(pieces: draft.pieces), draft.marks)), expression)
  }

  private mutating func appendOperands(of expression: TypedExpression, to draft: inout TemplateDraft) {
    guard case .binary(.add, let left, let right) = expression.form else { return }
    append(left, to: &draft)
    append(right, to: &draft)
  }

  private mutating func append(_ expression: TypedExpression, to draft: inout TemplateDraft) {
    let start = draft.position
    if case .binary(.add, _, _) = expression.form, expression.type == .string {
      appendOperands(of: expression, to: &draft)
      if let part = sites?.part(expression) { draft.mark(part, since: start) }
      return
    }
    let operation = compile(expression)
    guard let text = constantText(operation) else { return draft.append(operation) }
    draft.append(text)
    if sites != nil { draft.mark(operation, since: start) }
  }

  private func implied(_ mark: TemplateMark, in literal: [UInt8]) -> ImpliedSite {
    if let value = constantValue(mark.site) { return ImpliedSite(site: mark.site, value: .value(value)) }
    let text = String(decoding: literal[mark.start.byte..<mark.end.byte], as: UTF8.self)
    return ImpliedSite(site: mark.site, value: .value(.string(text)))
  }

  private func constantValue(_ site: Int32) -> Value? {
    guard site >= 0, case .constant(let index) = program.operations[Int(site)] else { return nil }
    return program.constants[Int(index)]
  }

  private mutating func add(_ template: PathTemplate, _ marks: [TemplateMark]) -> Int32 {
    program.templates.append(template)
    let index = Int32(program.templates.count - 1)
    sites?.template(index, marks)
    return index
  }

  /// Returns the text that a constant adds to a join; nil for other operations, and for constants that cannot be
  /// joined.
  private func constantText(_ operation: Int32) -> String? {
    switch constantValue(operation) {
    case .string(let text): text
    case .number(let value): NumberText.of(value)
    default: nil
    }
  }

  /// Compiles the argument of `child()`.
  mutating func template(_ path: TypedExpression) -> Int32 {
    var draft = TemplateDraft()
    let isSum: Bool = if case .binary(.add, _, _) = path.form { path.type == .string } else { false }
    if isSum {
      append(path, to: &draft)
    } else {
      let start = draft.position
      let operation = compile(path)
      if case .string(let text) = constantValue(operation) {
        draft.append(text)
        if sites != nil { draft.mark(operation, since: start) }
      } else {
        draft.append(operation)
      }
    }
    guard let bytes = draft.literal else { return add(PathTemplate(pieces: draft.pieces), draft.marks) }
    return add(PathTemplate(path: String(decoding: bytes, as: UTF8.self)), draft.marks)
  }

  // MARK: Claims and queries

  private mutating func claims(_ expression: TypedExpression) -> Int32 {
    var (names, prefixes) = ([String](), [TypedExpression]())
    var place = expression
    while case .claim(let receiver, let name) = place.form {
      names.append(name)
      prefixes.append(receiver)
      place = receiver
    }
    if case .auth = place.form {
      program.names.append(contentsOf: names.reversed())
      let first = program.names.count - names.count
      let index = emit(.claims(names: Int32(first), count: Int32(names.count)), expression)
      sites?.claims(index, prefixes.reversed())
      return index
    }
    if case .claimIndex(let receiver, let index) = expression.form {
      return emit(.claimIndex(compile(receiver), compile(index)), expression)
    }
    guard case .claim(let receiver, let name) = expression.form else { return emit(.unusable, expression) }
    program.names.append(name)
    let index = Int32(program.names.count - 1)
    return emit(.claimName(compile(receiver), name: index), expression)
  }

  /// Compiles a field of `query`. When the query is a conditional expression, the field is read in each branch.
  private mutating func queryField(
    _ receiver: TypedExpression, _ field: QueryField, _ source: TypedExpression
  ) -> Int32 {
    guard case .conditional(let condition, let then, let otherwise) = receiver.form else {
      return emit(.query(field), source)
    }
    let operands = [compile(condition), queryField(then, field, then), queryField(otherwise, field, otherwise)]
    return emit(.conditional(operands[0], operands[1], operands[2]), source)
  }

  // MARK: Emitting

  private mutating func constant(_ value: Value, _ source: TypedExpression) -> Int32 {
    emit(.constant(program.add(value)), source)
  }

  private mutating func list(_ entries: [Int32]) -> Int32 {
    program.lists.append(contentsOf: entries)
    return Int32(program.lists.count - entries.count)
  }

  /// Adds an operation. When its operands are given and all constant, its result is added instead, unless the result is
  /// a long text, or an error, which must only occur when the rule runs.
  ///
  /// - Parameter isSite: True when the operation computes the source expression; false when it computes one of its two
  ///   branches.
  mutating func emit(
    _ operation: Operation, _ source: TypedExpression, _ operands: [Int32] = [], isSite: Bool = true
  ) -> Int32 {
    program.operations.append(operation)
    program.offsets.append(Int32(truncatingIfNeeded: source.offset))
    sites?.operation(isSite ? source : nil)
    let index = Int32(program.operations.count - 1)
    let isFixed = operands.allSatisfy { if case .constant = program.operations[Int($0)] { true } else { false } }
    guard isFixed, !operands.isEmpty else { return index }
    let observation = sites.map { _ in Observation(keepsValues: true) }
    guard let value = Program(unfinished: program, root: index).constantValue(observation) else { return index }
    if case .string(let text) = value, text.utf8.count > RulesLimits.constantBytesMax { return index }
    if let notes = observation?.notes {
      sites?.imply(notes.compactMap { $0.site == index ? nil : ImpliedSite($0) }, by: index)
    }
    program.operations[Int(index)] = .constant(program.add(value))
    return index
  }
}

extension ImpliedSite {
  fileprivate init(_ note: Observation.Note) { self.init(site: note.site, value: note.value) }
}

extension Program {
  /// Compiles a checked rule.
  convenience init(_ expression: TypedExpression) {
    var compiler = Compiler()
    let root = compiler.compile(expression)
    self.init(compiler.program, root: root)
  }

  /// Compiles a checked rule so that it can be observed.
  static func observable(_ expression: TypedExpression) -> (program: Program, sites: SiteMap) {
    var compiler = Compiler(keepsSites: true)
    let root = compiler.compile(expression)
    return (Program(compiler.program, root: root), compiler.sites?.map ?? SiteMap())
  }

  /// Returns the value of the root operation, which only depends on constants; nil when it is an error.
  fileprivate func constantValue(_ observation: Observation?) -> Value? {
    EvaluationContext.with(auth: nil, nowMilliseconds: 0, query: nil, old: .empty, new: .empty) { context in
      var context = context
      context.stepsLeft = RulesLimits.stepsPerRuleMax
      context.observation = observation
      return (try? evaluate(root, &context)).map { Value($0) }
    }
  }
}
