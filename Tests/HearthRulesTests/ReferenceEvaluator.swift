import HearthTree

@testable import HearthRules

/// A simple evaluator of the rules language: it interprets the syntax tree without types, and without optimizations of
/// strings and paths.
///
/// It shares only the parser and the names of functions with the compiled evaluator, so that the two can be compared.
struct ReferenceEvaluator {
  struct Failure: Error {}

  enum ReferenceValue {
    case null
    case bool(Bool)
    case number(Double)
    case text([UInt16])
    /// An array or object of the token; nil for the value of a location with children.
    case container(JSON?)
    /// A location before or after the write.
    case snapshot(isNew: Bool, [Key])
  }

  var old: Node
  var new: Node
  /// The location of the rule.
  var path: [Key]
  var auth: JSON
  var now: Double

  func outcome(_ expression: Expression) -> Outcome {
    guard let result = try? evaluate(expression), case .bool(let value) = result else { return .error }
    return value ? .yes : .no
  }

  func evaluate(_ expression: Expression) throws -> ReferenceValue {
    switch expression.form {
    case .number(let value): return .number(value)
    case .string(let text): return .text(Array(text.utf16))
    case .bool(let value): return .bool(value)
    case .null: return .null
    case .variable(let name): return try variable(name)
    case .not(let operand): return .bool(!(try bool(operand)))
    case .negate(let operand): return .number(-(try number(operand)))
    case .all(let operands):
      for operand in operands where !(try bool(operand)) { return .bool(false) }
      return .bool(true)
    case .any(let operands):
      for operand in operands where try bool(operand) { return .bool(true) }
      return .bool(false)
    case .binary(let binary, let left, let right):
      return try combine(binary, try evaluate(left), try evaluate(right))
    case .conditional(let condition, let then, let otherwise):
      return try evaluate(try bool(condition) ? then : otherwise)
    case .member(let receiver, let name): return try member(try evaluate(receiver), name)
    case .subscripted(let receiver, let index):
      let name = try evaluate(index)
      switch name {
      case .text(let units): return try member(try evaluate(receiver), String(decoding: units, as: UTF16.self))
      case .number(let value): return try member(try evaluate(receiver), NumberText.of(value))
      default: throw Failure()
      }
    case .call(let callee, let arguments):
      guard case .member(let receiver, let name) = callee.form else { throw Failure() }
      return try call(try evaluate(receiver), name, arguments)
    case .array, .regularExpression: throw Failure()
    }
  }

  private func variable(_ name: String) throws -> ReferenceValue {
    switch name {
    case "auth": return referenceValue(auth)
    case "now": return .number(now)
    case "root": return .snapshot(isNew: false, [])
    case "data": return .snapshot(isNew: false, path)
    case "newData": return .snapshot(isNew: true, path)
    default:
      // The compared rules have one wildcard, at their location.
      guard let key = path.last, name == "$k" else { throw Failure() }
      return .text(Array(key.text.utf16))
    }
  }

  private func referenceValue(_ json: JSON) -> ReferenceValue {
    switch json {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .number(Double(value))
    case .double(let value): .number(value)
    case .string(let text): .text(Array(text.utf16))
    case .array, .object: .container(json)
    }
  }

  private func bool(_ expression: Expression) throws -> Bool {
    guard case .bool(let value) = try evaluate(expression) else { throw Failure() }
    return value
  }

  private func number(_ expression: Expression) throws -> Double {
    guard case .number(let value) = try evaluate(expression) else { throw Failure() }
    return value
  }

  private func combine(_ binary: BinaryOperator, _ a: ReferenceValue, _ b: ReferenceValue) throws -> ReferenceValue {
    switch (binary, a, b) {
    case (.equal, _, _): return .bool(equal(a, b))
    case (.notEqual, _, _): return .bool(!equal(a, b))
    case (.add, .number(let x), .number(let y)): return .number(x + y)
    case (.add, .text(let x), .text(let y)): return .text(x + y)
    case (.add, .text(let x), .number(let y)): return .text(x + Array(NumberText.of(y).utf16))
    case (.add, .number(let x), .text(let y)): return .text(Array(NumberText.of(x).utf16) + y)
    case (.subtract, .number(let x), .number(let y)): return .number(x - y)
    case (.multiply, .number(let x), .number(let y)): return .number(x * y)
    case (.divide, .number(let x), .number(let y)): return .number(y == 0 ? .nan : x / y)
    case (.remainder, .number(let x), .number(let y)): return .number(x.truncatingRemainder(dividingBy: y))
    case (.less, .number(let x), .number(let y)): return .bool(x < y)
    case (.lessOrEqual, .number(let x), .number(let y)): return .bool(x <= y)
    case (.greater, .number(let x), .number(let y)): return .bool(x > y)
    case (.greaterOrEqual, .number(let x), .number(let y)): return .bool(x >= y)
    case (.less, .text(let x), .text(let y)): return .bool(x.lexicographicallyPrecedes(y))
    case (.lessOrEqual, .text(let x), .text(let y)): return .bool(!y.lexicographicallyPrecedes(x))
    case (.greater, .text(let x), .text(let y)): return .bool(y.lexicographicallyPrecedes(x))
    case (.greaterOrEqual, .text(let x), .text(let y)): return .bool(!x.lexicographicallyPrecedes(y))
    default: throw Failure()
    }
  }

  private func equal(_ a: ReferenceValue, _ b: ReferenceValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.number(let x), .number(let y)): x == y
    case (.text(let x), .text(let y)): x == y
    default: false
    }
  }

  private func member(_ receiver: ReferenceValue, _ name: String) throws -> ReferenceValue {
    switch receiver {
    case .text(let units) where name == "length": return .number(Double(units.count))
    case .container(.array(let elements)):
      if name == "length" { return .number(Double(elements.count)) }
      guard let index = Int(name), elements.indices.contains(index) else { return .null }
      return referenceValue(elements[index])
    case .container(let json?): return referenceValue(json[name] ?? .null)
    case .container(nil): throw Failure()  // A result of val() has no members.
    case .null, .bool, .number, .text:
      if name == "length" { throw Failure() }
      return .null
    case .snapshot: throw Failure()
    }
  }

  private func call(_ receiver: ReferenceValue, _ name: String, _ arguments: [Expression]) throws -> ReferenceValue {
    guard case .snapshot(let isNew, let keys) = receiver else { return try textCall(receiver, name, arguments) }
    let node = (isNew ? new : old)[Path(keys)]
    switch name {
    case "child": return .snapshot(isNew: isNew, keys + (try relative(arguments[0])))
    case "parent":
      if keys.isEmpty { throw Failure() }
      return .snapshot(isNew: isNew, Array(keys.dropLast()))
    case "hasChild": return .bool(!node[Path(try relative(arguments[0]))].isEmpty)
    case "hasChildren" where !arguments.isEmpty:
      guard case .array(let names) = arguments[0].form else { throw Failure() }
      let paths = try names.map { try relative($0) }
      return .bool(paths.allSatisfy { !node[Path($0)].isEmpty })
    default:
      guard let function = SnapshotFunction(rawValue: name) else { throw Failure() }
      return result(of: function, node)
    }
  }

  private func result(of function: SnapshotFunction, _ node: Node) -> ReferenceValue {
    switch function {
    case .val: return node.isInterior ? .container(nil) : node.scalar.map { value($0) } ?? .null
    case .getPriority: return node.priority.map { value($0) } ?? .null
    case .exists: return .bool(!node.isEmpty)
    case .hasChildren: return .bool(node.isInterior)
    case .isString: if case .text? = node.scalar.map(value) { return .bool(true) }
    case .isNumber: if case .number? = node.scalar.map(value) { return .bool(true) }
    case .isBoolean: if case .bool? = node.scalar.map(value) { return .bool(true) }
    }
    return .bool(false)
  }

  private func relative(_ expression: Expression) throws -> [Key] {
    guard case .text(let units) = try evaluate(expression) else { throw Failure() }
    let keys = Path(String(decoding: units, as: UTF16.self)).keys
    return keys.isEmpty ? [Key("")] : keys
  }

  private func value(_ scalar: Scalar) -> ReferenceValue {
    switch scalar {
    case .bool(let value): .bool(value)
    case .int(let value): .number(Double(value))
    case .double(let value): .number(value)
    case .string(let text): .text(Array(text.utf16))
    }
  }

  private func textCall(
    _ receiver: ReferenceValue, _ name: String, _ arguments: [Expression]
  ) throws -> ReferenceValue {
    guard case .text(let text) = receiver else { throw Failure() }
    let texts = try arguments.map { argument -> [UInt16] in
      guard case .text(let units) = try evaluate(argument) else { throw Failure() }
      return units
    }
    guard let function = TextFunction(rawValue: name) else { throw Failure() }
    switch function {
    case .contains:
      let part = texts[0]
      let starts = part.count > text.count ? [] : Array(0...(text.count - part.count))
      return .bool(starts.contains { text[$0..<$0 + part.count].elementsEqual(part) })
    case .beginsWith: return .bool(text.starts(with: texts[0]))
    case .endsWith: return .bool(text.reversed().starts(with: texts[0].reversed()))
    case .toLowerCase: return .text(Array(String(decoding: text, as: UTF16.self).lowercased().utf16))
    case .toUpperCase: return .text(Array(String(decoding: text, as: UTF16.self).uppercased().utf16))
    case .replace: return .text(replace(text, texts[0], texts[1]))
    }
  }

  private func replace(_ text: [UInt16], _ part: [UInt16], _ replacement: [UInt16]) -> [UInt16] {
    var (result, index) = ([UInt16](), 0)
    while index <= text.count {
      if part.isEmpty {
        let isInsidePair = index < text.count && UTF16.isTrailSurrogate(text[index])
        if !isInsidePair { result += replacement }
      } else if text[index...].starts(with: part) {
        result += replacement
        index += part.count
        continue
      }
      if index < text.count { result.append(text[index]) }
      index += 1
    }
    return result
  }
}
