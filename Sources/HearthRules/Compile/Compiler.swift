import HearthTree

/// Turns a checked expression into a program, and computes beforehand what does not depend on the request.
struct Compiler {
  private(set) var program = Program()

  mutating func compile(_ expression: TypedExpression) -> Int32 {
    let offset = expression.offset
    switch expression.form {
    case .constant(let value): return constant(value, offset)
    case .now: return emit(.now, offset)
    case .wildcard(let depth): return emit(.wildcard(Int32(depth)), offset)
    case .auth, .claim, .claimIndex: return claims(expression)
    case .query, .snapshot, .child, .parent, .unusable: return emit(.unusable, offset)
    case .queryField(let receiver, let field): return queryField(receiver, field, offset)
    case .snapshotTest(let receiver, let test): return self.test(chains(receiver), test, offset)
    case .hasChild(let receiver, let path):
      return test(chains(receiver).appending(.child(template: template(path))), .exists, offset)
    case .hasAllChildren(let receiver, let names):
      let templates = list(names.map { template($0) })
      return hasAllChildren(chains(receiver), templates, Int32(names.count), offset)
    case .length(let receiver):
      let operand = compile(receiver)
      return emit(receiver.type == .auth ? .claimLength(operand) : .textLength(operand), offset, [operand])
    case .text(let receiver, let method, let arguments):
      let operand = compile(receiver)
      let others = arguments.map { compile($0) }
      let (first, second) = (others.first ?? operand, others.dropFirst().first ?? operand)
      return emit(.text(method, operand, first, second), offset, [operand, first, second])
    case .matches(let receiver, let regex):
      program.regexes.append(regex)
      return emit(.matches(compile(receiver), regex: Int32(program.regexes.count - 1)), offset)
    case .not, .negate, .all, .any, .binary, .conditional: return operation(expression)
    }
  }

  private mutating func operation(_ expression: TypedExpression) -> Int32 {
    let offset = expression.offset
    switch expression.form {
    case .not(let operand):
      let compiled = compile(operand)
      return emit(.not(compiled), offset, [compiled])
    case .negate(let operand):
      let compiled = compile(operand)
      return emit(.negate(compiled), offset, [compiled])
    case .all(let operands):
      let compiled = operands.map { compile($0) }
      return emit(.all(operands: list(compiled), count: Int32(compiled.count)), offset, compiled)
    case .any(let operands):
      let compiled = operands.map { compile($0) }
      return emit(.any(operands: list(compiled), count: Int32(compiled.count)), offset, compiled)
    case .binary(.add, _, _) where expression.type == .string: return join(expression)
    case .binary(let binary, let left, let right):
      let (first, second) = (compile(left), compile(right))
      return emit(.binary(binary, first, second), offset, [first, second])
    case .conditional(let condition, let then, let otherwise):
      let operands = [compile(condition), compile(then), compile(otherwise)]
      return emit(.conditional(operands[0], operands[1], operands[2]), offset, operands)
    default: return emit(.unusable, offset)
    }
  }

  // MARK: Texts and paths

  /// A sum that is a text whatever its operands turn out to be: its parts, side by side.
  private mutating func join(_ expression: TypedExpression) -> Int32 {
    let pieces = pieces(expression)
    if pieces.count == 1, case .bytes(let bytes) = pieces[0] {
      return constant(.string(String(decoding: bytes, as: UTF8.self)), expression.offset)
    }
    program.templates.append(PathTemplate(pieces: pieces))
    return emit(.join(template: Int32(program.templates.count - 1)), expression.offset)
  }

  private mutating func pieces(_ expression: TypedExpression) -> [PathTemplate.Piece] {
    var pieces: [PathTemplate.Piece] = []
    appendPieces(expression, to: &pieces)
    return pieces
  }

  private mutating func appendPieces(_ expression: TypedExpression, to pieces: inout [PathTemplate.Piece]) {
    if case .binary(.add, let left, let right) = expression.form, expression.type == .string {
      appendPieces(left, to: &pieces)
      appendPieces(right, to: &pieces)
      return
    }
    let operation = compile(expression)
    guard let text = constantText(operation) else { return pieces.append(.operation(operation)) }
    if case .bytes(let before) = pieces.last {
      pieces[pieces.count - 1] = .bytes(before + text.utf8)
    } else {
      pieces.append(.bytes(Array(text.utf8)))
    }
  }

  /// The text that a constant adds to a join; nil for other operations, and for constants that cannot be joined.
  private func constantText(_ operation: Int32) -> String? {
    guard case .constant(let index) = program.operations[Int(operation)] else { return nil }
    switch program.constants[Int(index)] {
    case .string(let text): return text
    case .number(let value): return NumberText.of(value)
    default: return nil
    }
  }

  /// The argument of `child()`.
  private mutating func template(_ path: TypedExpression) -> Int32 {
    let isSum: Bool = if case .binary(.add, _, _) = path.form { path.type == .string } else { false }
    let pieces = isSum ? pieces(path) : [.operation(compile(path))]
    var template = PathTemplate(pieces: pieces)
    if pieces.count == 1 {
      switch pieces[0] {
      case .bytes(let bytes): template = PathTemplate(path: String(decoding: bytes, as: UTF8.self))
      case .operation(let operation):
        if case .constant(let index) = program.operations[Int(operation)],
          case .string(let text) = program.constants[Int(index)]
        {
          template = PathTemplate(path: text)
        }
      }
    }
    program.templates.append(template)
    return Int32(program.templates.count - 1)
  }

  // MARK: Claims and queries

  private mutating func claims(_ expression: TypedExpression) -> Int32 {
    var names: [String] = []
    var place = expression
    while case .claim(let receiver, let name) = place.form {
      names.append(name)
      place = receiver
    }
    if case .auth = place.form {
      program.names.append(contentsOf: names.reversed())
      let first = program.names.count - names.count
      return emit(.claims(names: Int32(first), count: Int32(names.count)), expression.offset)
    }
    if case .claimIndex(let receiver, let index) = expression.form {
      return emit(.claimIndex(compile(receiver), compile(index)), expression.offset)
    }
    guard case .claim(let receiver, let name) = expression.form else { return emit(.unusable, expression.offset) }
    program.names.append(name)
    let index = Int32(program.names.count - 1)
    return emit(.claimName(compile(receiver), name: index), expression.offset)
  }

  /// `query` may be chosen by a conditional; the field is then read in each branch.
  private mutating func queryField(_ receiver: TypedExpression, _ field: QueryField, _ offset: Int) -> Int32 {
    guard case .conditional(let condition, let then, let otherwise) = receiver.form else {
      return emit(.query(field), offset)
    }
    let operands = [compile(condition), queryField(then, field, offset), queryField(otherwise, field, offset)]
    return emit(.conditional(operands[0], operands[1], operands[2]), offset)
  }

  // MARK: Snapshots

  /// A snapshot, or two that a condition chooses between.
  private indirect enum Chains {
    case one(SnapshotChain)
    case either(condition: Int32, Chains, Chains)

    func appending(_ step: SnapshotChain.Step) -> Chains {
      switch self {
      case .one(var chain):
        chain.steps.append(step)
        return .one(chain)
      case .either(let condition, let a, let b):
        return .either(condition: condition, a.appending(step), b.appending(step))
      }
    }
  }

  private mutating func chains(_ snapshot: TypedExpression) -> Chains {
    switch snapshot.form {
    case .child(let receiver, let path):
      let chains = chains(receiver)
      return chains.appending(.child(template: template(path)))
    case .parent(let receiver): return chains(receiver).appending(.parent)
    case .conditional(let condition, let then, let otherwise):
      return .either(condition: compile(condition), chains(then), chains(otherwise))
    case .snapshot(let base): return .one(SnapshotChain(base: base))
    default: return .one(SnapshotChain(base: .root))
    }
  }

  private mutating func test(_ chains: Chains, _ test: SnapshotTest, _ offset: Int) -> Int32 {
    switch chains {
    case .one(let chain): return emit(.test(test, chain: index(of: chain)), offset)
    case .either(let condition, let a, let b):
      let (first, second) = (self.test(a, test, offset), self.test(b, test, offset))
      return emit(.conditional(condition, first, second), offset)
    }
  }

  private mutating func hasAllChildren(_ chains: Chains, _ templates: Int32, _ count: Int32, _ offset: Int) -> Int32 {
    switch chains {
    case .one(let chain):
      return emit(.hasAllChildren(chain: index(of: chain), templates: templates, count: count), offset)
    case .either(let condition, let a, let b):
      let (first, second) = (
        hasAllChildren(a, templates, count, offset), hasAllChildren(b, templates, count, offset)
      )
      return emit(.conditional(condition, first, second), offset)
    }
  }

  private mutating func index(of chain: SnapshotChain) -> Int32 {
    program.chains.append(chain)
    program.chainNeedsPath.append(chain.hasParent)
    return Int32(program.chains.count - 1)
  }

  // MARK: Emitting

  private mutating func constant(_ value: Value, _ offset: Int) -> Int32 {
    program.constants.append(value)
    return emit(.constant(Int32(program.constants.count - 1)), offset)
  }

  private mutating func list(_ entries: [Int32]) -> Int32 {
    program.lists.append(contentsOf: entries)
    return Int32(program.lists.count - entries.count)
  }

  /// Adds an operation. When its operands are given and all constant, what it computes is added in its place, unless
  /// that is a long text or an error, which must wait until the rule runs.
  private mutating func emit(_ operation: Operation, _ offset: Int, _ operands: [Int32] = []) -> Int32 {
    program.operations.append(operation)
    program.offsets.append(Int32(truncatingIfNeeded: offset))
    let index = Int32(program.operations.count - 1)
    let isFixed = operands.allSatisfy { if case .constant = program.operations[Int($0)] { true } else { false } }
    guard isFixed, !operands.isEmpty else { return index }
    var context = EvaluationContext.empty
    guard let value = try? program.evaluate(index, &context) else { return index }
    if case .string(let text) = value, text.utf8.count > RulesLimits.constantBytesMax { return index }
    program.constants.append(value)
    program.operations[Int(index)] = .constant(Int32(program.constants.count - 1))
    return index
  }
}

extension Program {
  /// Compiles a checked rule.
  init(_ expression: TypedExpression) {
    var compiler = Compiler()
    let root = compiler.compile(expression)
    self = compiler.program
    self.root = root
  }
}
