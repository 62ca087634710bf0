import HearthRules

extension MutantGenerator {
  /// A generator of the mutants of one rule, each of which changes one expression of it.
  ///
  /// It is a reference type so that the replacement text, an autoclosure, is only computed when the mutant is within
  /// the limit.
  final class ExpressionMutator {
    let rule: Rule
    private let bytes: [UInt8]
    private(set) var mutants: [RulesMutant] = []
    private(set) var skippedCount = 0
    private(set) var allowance: MutantGenerator.Allowance

    init(rule: Rule, _ allowance: MutantGenerator.Allowance) {
      self.rule = rule
      self.allowance = allowance
      bytes = Array(rule.text.utf8)
    }

    func visit(_ expression: TypedExpression) {
      change(expression)
      for operand in expression.operands { visit(operand) }
    }

    private func change(_ expression: TypedExpression) {
      switch expression.form {
      case .all(let operands):
        drop(operands, " && ", .dropConjunct, expression)
        replace(expression, .andOr, "(" + operands.map(text).joined(separator: " || ") + ")")
      case .any(let operands):
        drop(operands, " || ", .dropDisjunct, expression)
        replace(expression, .andOr, "(" + operands.map(text).joined(separator: " && ") + ")")
      case .not(let operand): replace(expression, .dropNot, "(" + text(operand) + ")")
      case .conditional(let condition, let then, let otherwise):
        replace(expression, .swapBranches, "(\(text(condition)) ? \(text(otherwise)) : \(text(then)))")
      case .binary(let binary, let left, let right): change(binary, left, right, expression)
      case .snapshot(let base): change(base, expression)
      case .snapshotTest(let snapshot, let function): weaken(snapshot, function, expression)
      case .hasAllChildren(let snapshot, let names): dropChildren(snapshot, names, expression)
      case .matches(let receiver, let regex): dropAnchors(receiver, regex, expression)
      case .constant(let value): change(value, expression)
      case .wildcard(let depth): change(wildcard: depth, expression)
      default: break
      }
    }

    // MARK: Operators

    private func drop(
      _ operands: [TypedExpression], _ sign: String, _ operation: MutationOperator, _ expression: TypedExpression
    ) {
      for index in operands.indices {
        replace(expression, operation, "(" + texts(operands, without: index).joined(separator: sign) + ")")
      }
    }

    private func change(
      _ binary: BinaryOperator, _ left: TypedExpression, _ right: TypedExpression, _ expression: TypedExpression
    ) {
      func with(_ other: BinaryOperator) -> String { "(\(text(left)) \(other.rawValue) \(text(right)))" }
      switch binary {
      case .equal: replace(expression, .flipEquality, with(.notEqual))
      case .notEqual: replace(expression, .flipEquality, with(.equal))
      case .less:
        replace(expression, .boundary, with(.lessOrEqual))
        replace(expression, .turnComparison, with(.greater))
      case .lessOrEqual:
        replace(expression, .boundary, with(.less))
        replace(expression, .turnComparison, with(.greaterOrEqual))
      case .greater:
        replace(expression, .boundary, with(.greaterOrEqual))
        replace(expression, .turnComparison, with(.less))
      case .greaterOrEqual:
        replace(expression, .boundary, with(.greater))
        replace(expression, .turnComparison, with(.lessOrEqual))
      case .add, .subtract, .multiply, .divide, .remainder: break
      }
    }

    // MARK: Snapshots

    private func change(_ base: SnapshotBase, _ expression: TypedExpression) {
      switch base {
      case .data:
        if rule.kind != .read { replace(expression, .dataNewData, "newData") }
        if !rule.place.isEmpty { replace(expression, .dataRoot, "root") }
      case .newData: replace(expression, .dataNewData, "data")
      case .root: if !rule.place.isEmpty { replace(expression, .dataRoot, "data") }
      }
    }

    private func weaken(_ snapshot: TypedExpression, _ function: SnapshotFunction, _ expression: TypedExpression) {
      guard function.provesExistence, function != .exists else { return }
      replace(expression, .weakenType, text(snapshot) + ".exists()")
    }

    private func dropChildren(
      _ snapshot: TypedExpression, _ names: [TypedExpression], _ expression: TypedExpression
    ) {
      for index in names.indices {
        let rest = texts(names, without: index)
        replace(expression, .dropChild, text(snapshot) + ".hasChildren([\(rest.joined(separator: ", "))])")
      }
    }

    // MARK: Values

    private func dropAnchors(
      _ receiver: TypedExpression, _ regex: LinearRegex, _ expression: TypedExpression
    ) {
      var bodies: [Substring] = []
      if regex.body.hasPrefix("^") { bodies.append(regex.body.dropFirst()) }
      if regex.body.hasSuffix("$"), !regex.body.hasSuffix("\\$") { bodies.append(regex.body.dropLast()) }
      for body in bodies where !body.isEmpty {
        replace(expression, .dropAnchor, text(receiver) + ".matches(/\(body)/\(regex.ignoresCase ? "i" : ""))")
      }
    }

    private func change(_ value: Value, _ expression: TypedExpression) {
      // Mutants of the whole rule are created by ``MutantGenerator``.
      guard expression.range != 0..<bytes.count else { return }
      switch value {
      case .bool(let value): replace(expression, .truth, value ? "false" : "true")
      case .number(let value) where value.magnitude < 1e15:
        for other in [value + 1, value - 1] {
          replace(expression, .number, other < 0 ? "(\(NumberText.of(other)))" : NumberText.of(other))
        }
      case .string(let value): replace(expression, .text, value == "x" ? "'y'" : "'x'")
      default: break
      }
    }

    private func change(wildcard depth: Int, _ expression: TypedExpression) {
      for (index, name) in rule.place.enumerated() where name.hasPrefix("$") && index != depth {
        replace(expression, .wildcard, name)
      }
    }

    // MARK: Text

    private func text(_ expression: TypedExpression) -> String {
      String(decoding: bytes[expression.range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    private func texts(_ expressions: [TypedExpression], without left: Int) -> [String] {
      expressions.indices.filter { $0 != left }.map { text(expressions[$0]) }
    }

    private func replace(
      _ expression: TypedExpression, _ operation: MutationOperator, _ replacement: @autoclosure () -> String
    ) {
      guard allowance.takes(rule) else {
        skippedCount += 1
        return
      }
      mutants.append(
        RulesMutant(
          rule: rule, operation: operation, range: expression.range, replacement: replacement(), place: rule.place))
    }
  }
}
