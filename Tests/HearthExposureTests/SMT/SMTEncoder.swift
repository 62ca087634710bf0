import HearthRules
import HearthTree

/// An encoding of the conditions that allow a request as SMT formulas, for one path and one uid, independent of the
/// prover.
///
/// It may omit requests (strings joined with numbers, divisions by zero), so only a found request is a result, which
/// the evaluator then checks.
struct SMTEncoder {
  /// An error for an expression without an encoding.
  struct Unsupported: Error {}

  typealias Formula = (value: String, isDefined: String)

  let unknowns: SMTUnknowns
  /// The keys of the path.
  let keys: [String]
  /// The user's ID; nil for a signed-out client.
  let uid: String?
  let held: [(name: String, value: Scalar)]
  private let isRead: Bool
  private let now: SMTValue
  private let claims: [String: SMTValue]
  private let query: [QueryField: SMTValue]

  init(_ unknowns: SMTUnknowns, keys: [String], uid: String?, held: [(name: String, value: Scalar)], isRead: Bool) {
    self.unknowns = unknowns
    self.keys = keys
    self.uid = uid
    self.held = held
    self.isRead = isRead
    unknowns.declare("now", "Int")
    unknowns.require("(>= now \(RandomRuleSet.nowMilliseconds))")
    unknowns.require("(<= now 100000)")
    now = .number("(to_real now)")
    claims = [
      "provider": unknowns.unknown("c0", [.text]), "email": unknowns.unknown("c1", [.null, .text]),
      "email_verified": unknowns.unknown("c2", [.null, .bool]), "auth_time": unknowns.unknown("c3", [.null, .number]),
    ]
    query = isRead ? Self.query(unknowns) : Self.noQuery
  }

  /// Creates the encoding of the same request for a rule at another location.
  init(_ other: SMTEncoder, keys: [String]) {
    (unknowns, uid, held, isRead) = (other.unknowns, other.uid, other.held, other.isRead)
    (now, claims, query) = (other.now, other.claims, other.query)
    self.keys = keys
  }

  private static let noQuery: [QueryField: SMTValue] = Dictionary(
    QueryField.allCases.map { ($0, $0.type == .boolean ? .bool("false") : .null) }, uniquingKeysWith: { a, _ in a })

  /// Returns the query's unknowns. The order is 0 for none, 1 key, 2 value, 3 priority, 4 child. Both bounds share one
  /// value; there is one limit.
  private static func query(_ unknowns: SMTUnknowns) -> [QueryField: SMTValue] {
    unknowns.declare("order", "Int")
    unknowns.declare("limit", "Int")
    unknowns.declare("isLast", "Bool")
    unknowns.declare("orderChild", "String")
    unknowns.require("(and (>= order 0) (<= order 4) (>= limit 0) (<= limit 100))")
    unknowns.require("(or (= orderChild \"u\") (= orderChild \"v\"))")
    let bound = unknowns.unknown("bound", [.null, .bool, .number, .text])
    let none = "(and (= limit 0) \(bound.isKind(.null)))"
    return [
      .orderByKey: .bool("(or (= order 1) (and (= order 0) (not \(none))))"), .orderByValue: .bool("(= order 2)"),
      .orderByPriority: .bool("(= order 3)"), .orderByChild: .either("(= order 4)", .text("orderChild"), .null),
      .startAt: bound, .endAt: bound, .equalTo: bound,
      .limitToFirst: .either("(or (= limit 0) isLast)", .null, .number("(to_real limit)")),
      .limitToLast: .either("(and (> limit 0) isLast)", .number("(to_real limit)"), .null),
    ]
  }

  // MARK: Conditions

  func truth(_ expression: TypedExpression, _ depth: Int) throws(Unsupported) -> Formula {
    switch expression.form {
    case .constant(.bool(let value)): return (value ? "true" : "false", "true")
    case .not(let operand):
      let inner = try truth(operand, depth)
      return (SMT.not(inner.value), inner.isDefined)
    case .all(let operands): return try chain(operands, depth, isAll: true)
    case .any(let operands): return try chain(operands, depth, isAll: false)
    case .conditional(let condition, let a, let b):
      let (c, x, y) = (try truth(condition, depth), try truth(a, depth), try truth(b, depth))
      return (
        "(ite \(c.value) \(x.value) \(y.value))", "(and \(c.isDefined) (ite \(c.value) \(x.isDefined) \(y.isDefined)))"
      )
    case .binary(let binary, let a, let b) where binary == .equal || binary == .notEqual:
      let (x, y) = (try value(a, depth), try value(b, depth))
      let equal = SMTValue.areEqual(x.value, y.value)
      return (binary == .equal ? equal : SMT.not(equal), SMT.all([x.isDefined, y.isDefined]))
    case .binary(let binary, let a, let b): return comparison(binary, try value(a, depth), try value(b, depth))
    case .snapshotTest(let receiver, let function) where function.descriptor.type == .boolean:
      return try test(function, try place(receiver, depth))
    case .hasChild(let receiver, let path):
      return try test(.exists, try place(receiver, depth).child(try text(path, depth)))
    case .hasAllChildren(let receiver, let names):
      let place = try place(receiver, depth)
      var parts: [Formula] = []
      for name in names { parts.append(try test(.exists, place.child(try text(name, depth)))) }
      return (SMT.all(parts.map(\.value)), SMT.all([place.isDefined] + parts.map(\.isDefined)))
    case .matches(let receiver, let regex):
      let subject = try value(receiver, depth)
      guard let pattern = SMTRegex.term(regex) else { throw Unsupported() }
      return (
        "(str.in_re \(subject.value.text) \(pattern))", SMT.all([subject.isDefined, subject.value.isKind(.text)])
      )
    case .text(let receiver, let function, let arguments) where function.descriptor.type == .boolean:
      let x = try value(receiver, depth)
      let y = try arguments.first.map { argument throws(Unsupported) in try value(argument, depth) } ?? x
      let term: String
      switch function {
      case .contains: term = "(str.contains \(x.value.text) \(y.value.text))"
      case .beginsWith: term = "(str.prefixof \(y.value.text) \(x.value.text))"
      case .endsWith: term = "(str.suffixof \(y.value.text) \(x.value.text))"
      case .replace, .toLowerCase, .toUpperCase: throw Unsupported()
      }
      return (term, SMT.all([x.isDefined, y.isDefined, x.value.isKind(.text), y.value.isKind(.text)]))
    default:
      let found = try value(expression, depth)
      return (found.value.bool, SMT.all([found.isDefined, found.value.isKind(.bool)]))
    }
  }

  private func chain(_ operands: [TypedExpression], _ depth: Int, isAll: Bool) throws(Unsupported) -> Formula {
    var parts: [Formula] = []
    for operand in operands { parts.append(try truth(operand, depth)) }
    var (value, isDefined) = parts[parts.count - 1]
    for part in parts.dropLast().reversed() {
      isDefined = "(and \(part.isDefined) (or \(isAll ? SMT.not(part.value) : part.value) \(isDefined)))"
      value = isAll ? "(and \(part.value) \(value))" : "(or \(part.value) \(value))"
    }
    return (value, isDefined)
  }

  private func comparison(
    _ binary: BinaryOperator, _ x: (value: SMTValue, isDefined: String), _ y: (value: SMTValue, isDefined: String)
  ) -> Formula {
    let sign = binary.rawValue
    let (a, b) = sign.hasPrefix(">") ? (y.value, x.value) : (x.value, y.value)
    let mark = sign.hasSuffix("=") ? "<=" : "<"
    let numbers = SMT.all([a.isKind(.number), b.isKind(.number)])
    let texts = SMT.all([a.isKind(.text), b.isKind(.text)])
    return (
      "(ite \(numbers) (\(mark) \(a.number) \(b.number)) (str.\(mark) \(a.text) \(b.text)))",
      SMT.all([x.isDefined, y.isDefined, SMT.any([numbers, texts])])
    )
  }

  private func test(_ function: SnapshotFunction, _ place: SMTPlace) throws(Unsupported) -> Formula {
    let value = place.canExist ? unknowns.value(place.side, place.keys) : .null
    let term: String
    switch function {
    case .exists: term = SMT.not(value.isKind(.null))
    case .hasChildren: term = value.isKind(.object)
    case .isString: term = value.isKind(.text)
    case .isNumber: term = value.isKind(.number)
    case .isBoolean: term = value.isKind(.bool)
    case .val, .getPriority: throw Unsupported()
    }
    return (term, place.isDefined)
  }

  // MARK: Values

  func value(
    _ expression: TypedExpression, _ depth: Int
  ) throws(Unsupported) -> (value: SMTValue, isDefined: String) {
    switch expression.form {
    case .constant(let constant): return (try Self.value(of: constant), "true")
    case .now: return (now, "true")
    case .wildcard(let index): return (.text(SMTValue.literal(keys[index])), "true")
    case .auth, .claim, .claimIndex: return (try claim(expression, depth), "true")
    case .queryField(let receiver, let field):
      guard case .query = receiver.form else { throw Unsupported() }
      return (query[field] ?? .null, "true")
    case .snapshotTest(let receiver, .val):
      let place = try place(receiver, depth)
      return (place.canExist ? unknowns.value(place.side, place.keys) : .null, place.isDefined)
    case .snapshotTest(let receiver, .getPriority):
      let place = try place(receiver, depth)
      return (place.canExist ? unknowns.priority(place.side, place.keys) : .null, place.isDefined)
    case .snapshotTest(_, let function) where function.descriptor.type != .boolean: throw Unsupported()
    case .length(let receiver):
      let inner = try value(receiver, depth)
      return (
        .number("(to_real (str.len \(inner.value.text)))"), SMT.all([inner.isDefined, inner.value.isKind(.text)])
      )
    case .negate(let operand):
      let inner = try value(operand, depth)
      return (.number("(- \(inner.value.number))"), SMT.all([inner.isDefined, inner.value.isKind(.number)]))
    case .conditional(let condition, let a, let b):
      let (c, x, y) = (try truth(condition, depth), try value(a, depth), try value(b, depth))
      return (
        .either(c.value, x.value, y.value), "(and \(c.isDefined) (ite \(c.value) \(x.isDefined) \(y.isDefined)))"
      )
    case .binary(let binary, let a, let b) where !Self.comparisons.contains(binary):
      return try arithmetic(binary, value(a, depth), value(b, depth))
    case .text(_, let function, _) where function.descriptor.type != .boolean: throw Unsupported()
    case .unusable: throw Unsupported()
    default:
      let formula = try truth(expression, depth)
      return (.bool(formula.value), formula.isDefined)
    }
  }

  private static let comparisons: Set<BinaryOperator> = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  private static func value(of constant: Value) throws(Unsupported) -> SMTValue {
    switch constant {
    case .null: return .null
    case .bool(let value): return .bool(value ? "true" : "false")
    case .string(let text): return .text(SMTValue.literal(text))
    case .number(let number):
      guard let term = SMTValue.literal(number) else { throw Unsupported() }
      return .number(term)
    case .container: throw Unsupported()
    }
  }

  private func arithmetic(
    _ binary: BinaryOperator, _ x: (value: SMTValue, isDefined: String), _ y: (value: SMTValue, isDefined: String)
  ) throws(Unsupported) -> (value: SMTValue, isDefined: String) {
    let (a, b) = (x.value, y.value)
    let numbers = SMT.all([a.isKind(.number), b.isKind(.number)])
    let defined = [x.isDefined, y.isDefined]
    switch binary {
    case .add:
      let texts = SMT.all([a.isKind(.text), b.isKind(.text)])
      let sum = SMTValue.either(
        numbers, .number("(+ \(a.number) \(b.number))"), .text("(str.++ \(a.text) \(b.text))"))
      return (sum, SMT.all(defined + [SMT.any([numbers, texts])]))
    case .subtract: return (.number("(- \(a.number) \(b.number))"), SMT.all(defined + [numbers]))
    case .multiply: return (.number("(* \(a.number) \(b.number))"), SMT.all(defined + [numbers]))
    default: throw Unsupported()
    }
  }

  // MARK: Claims

  private func claim(_ expression: TypedExpression, _ depth: Int) throws(Unsupported) -> SMTValue {
    var names: [String] = []
    var place = expression
    while true {
      switch place.form {
      case .claim(let receiver, let name):
        names.insert(name, at: 0)
        place = receiver
      case .claimIndex(let receiver, let name):
        guard let text = try text(name, depth) else { throw Unsupported() }
        names.insert(text, at: 0)
        place = receiver
      case .auth:
        return uid.map { claim(names, uid: $0) } ?? .null
      default: throw Unsupported()
      }
    }
  }

  private func claim(_ names: [String], uid: String) -> SMTValue {
    switch names {
    case []: return .object
    case ["uid"], ["token", "sub"], ["token", "user_id"]: return .text(SMTValue.literal(uid))
    case ["provider"], ["token", "firebase", "sign_in_provider"]: return claims["provider"] ?? .null
    case ["token"], ["token", "firebase"]: return .object
    default: break
    }
    guard names.count == 2, names[0] == "token" else { return .null }
    if let claim = held.first(where: { $0.name == names[1] }) {
      switch claim.value {
      case .bool(let value): return .bool(value ? "true" : "false")
      case .string(let text): return .text(SMTValue.literal(text))
      case .int, .double: return .null
      }
    }
    return names[1] == "provider" ? .null : claims[names[1]] ?? .null
  }

  // MARK: Locations

  private func place(_ expression: TypedExpression, _ depth: Int) throws(Unsupported) -> SMTPlace {
    switch expression.form {
    case .snapshot(.root): return SMTPlace(side: .old, keys: [])
    case .snapshot(let base): return SMTPlace(side: base == .newData ? .new : .old, keys: Array(keys.prefix(depth)))
    case .child(let receiver, let path): return try place(receiver, depth).child(try text(path, depth))
    case .parent(let receiver):
      var place = try place(receiver, depth)
      guard !place.keys.isEmpty else { return SMTPlace(side: place.side, keys: [], isDefined: "false") }
      place.keys.removeLast()
      return place
    default: throw Unsupported()
    }
  }

  /// Returns a text that is known in advance, or nil for a certain error.
  private func text(_ expression: TypedExpression, _ depth: Int) throws(Unsupported) -> String? {
    switch expression.form {
    case .constant(.string(let text)): return text
    case .wildcard(let index): return keys[index]
    case .claim, .claimIndex, .auth:
      let value = try claim(expression, depth)
      if value.kind == "0" || value.kind == "4" { return nil }
      guard let uid, value.text == SMTValue.literal(uid) else { throw Unsupported() }
      return uid
    case .binary(.add, let a, let b):
      guard let x = try text(a, depth), let y = try text(b, depth) else { return nil }
      return x + y
    default: throw Unsupported()
    }
  }
}

/// A location whose keys are known.
struct SMTPlace {
  var side: SMTUnknowns.Side
  var keys: [String]
  var isDefined = "true"

  var canExist: Bool { keys.allSatisfy { Key($0).problem == nil } }

  /// Returns the location at a relative path; a nil path is an error.
  func child(_ path: String?) -> SMTPlace {
    guard let path else { return SMTPlace(side: side, keys: keys, isDefined: "false") }
    let more = Path(path).keys.map(\.text)
    return SMTPlace(side: side, keys: keys + (more.isEmpty ? [""] : more), isDefined: isDefined)
  }
}

/// Regular expressions as SMT terms.
enum SMTRegex {
  static func term(_ regex: LinearRegex) -> String? {
    guard let syntax = try? RegexSyntax(regex.body, ignoresCase: regex.ignoresCase) else { return nil }
    var terms: [String] = []
    for part in syntax.parts {
      switch part {
      case .nothing: terms.append("(str.to_re \"\")")
      case .any: terms.append("re.allchar")
      case .units(let ranges, let isNegated):
        let merged = RegexUnits.merged(ranges)
        let list = (isNegated ? RegexUnits.complement(merged) : merged).map {
          "(re.range \"\\u{\(String($0.lowerBound, radix: 16))}\" \"\\u{\(String($0.upperBound, radix: 16))}\")"
        }
        terms.append(list.isEmpty ? "re.none" : list.count == 1 ? list[0] : "(re.union \(list.joined(separator: " ")))")
      case .sequence(let parts): terms.append("(re.++ \(parts.map { terms[$0] }.joined(separator: " ")))")
      case .either(let parts): terms.append("(re.union \(parts.map { terms[$0] }.joined(separator: " ")))")
      case .repeated(let part, 0, nil): terms.append("(re.* \(terms[part]))")
      case .repeated(let part, let least, nil):
        terms.append("(re.++ ((_ re.^ \(least)) \(terms[part])) (re.* \(terms[part])))")
      case .repeated(let part, let least, let most?): terms.append("((_ re.loop \(least) \(most)) \(terms[part]))")
      }
    }
    let start = syntax.isAnchoredAtStart ? "(str.to_re \"\")" : "re.all"
    let end = syntax.isAnchoredAtEnd ? "(str.to_re \"\")" : "re.all"
    return "(re.++ \(start) \(terms[terms.count - 1]) \(end))"
  }
}
