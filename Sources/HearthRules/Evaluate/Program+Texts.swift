import HearthTree

extension Program {
  func text(
    _ method: TextMethod, _ operand: Int32, _ first: Int32, _ second: Int32, _ index: Int32,
    _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Value {
    let text = try string(operand, index, &context)
    try charge(text.utf8.count, index, &context)
    switch method {
    case .toLowerCase:
      try chargeForCase(text, index, &context)
      return .string(try bounded(text.lowercased(), index))
    case .toUpperCase:
      try chargeForCase(text, index, &context)
      return .string(try bounded(text.uppercased(), index))
    case .contains: return .bool(Text.contains(text, try string(first, index, &context)))
    case .beginsWith: return .bool(Text.begins(text, with: try string(first, index, &context)))
    case .endsWith: return .bool(Text.ends(text, with: try string(first, index, &context)))
    case .replace:
      let (part, replacement) = (try string(first, index, &context), try string(second, index, &context))
      let result = Text.replace(text, part, replacement, limitBytes: RulesLimits.textBytesMax)
      guard let result else { throw failure(.textLimit, index) }
      try charge(result.utf8.count, index, &context)
      return .string(result)
    }
  }

  /// Beyond ASCII, changing case takes ten times as long as looking at a text does.
  private func chargeForCase(
    _ text: String, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    try charge(text.utf8.count * 3, index, &context)
  }

  private func bounded(_ text: String, _ index: Int32) throws(EvaluationError) -> String {
    guard text.utf8.count <= RulesLimits.textBytesMax else { throw failure(.textLimit, index) }
    return text
  }

  func length(_ operand: Int32, _ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Int {
    let text = try string(operand, index, &context)
    try charge(text.utf8.count, index, &context)
    return Text.length(text)
  }

  func join(
    _ template: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> String {
    var bytes: [UInt8] = []
    try append(template, to: &bytes, index, &context)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends what a template's pieces come to: texts as they are, numbers as text. A template of one piece must be
  /// a text: only a sum turns numbers into text.
  func append(
    _ template: Int32, to bytes: inout [UInt8], _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    if context.observation != nil {
      try appendNoting(template, to: &bytes, index, &context)
    } else {
      let pieces = templates[Int(template)].pieces
      for piece in pieces { try append(piece, isAlone: pieces.count == 1, to: &bytes, index, &context) }
    }
    try charge(bytes.count, index, &context)
  }

  private func append(
    _ piece: PathTemplate.Piece, isAlone: Bool, to bytes: inout [UInt8], _ index: Int32,
    _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    switch piece {
    case .bytes(let literal): bytes.append(contentsOf: literal)
    case .operation(let operand):
      switch try evaluate(operand, &context) {
      case .string(let text): Text.withBytes(text) { bytes.append(contentsOf: $0) }
      case .number(let value) where !isAlone: bytes.append(contentsOf: NumberText.of(value).utf8)
      default: throw failure(.wrongType, index)
      }
    }
    guard bytes.count <= RulesLimits.textBytesMax else { throw failure(.textLimit, index) }
  }

  private func appendNoting(
    _ template: Int32, to bytes: inout [UInt8], _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    let pieces = templates[Int(template)].pieces
    var (starts, next) = ([Int](), 0)
    do {
      for (number, piece) in pieces.enumerated() {
        starts.append(bytes.count)
        try append(piece, isAlone: pieces.count == 1, to: &bytes, index, &context)
        context.observation?.noteTemplate(template, &next, after: number, starts, bytes, of: self)
      }
    } catch {
      context.observation?.noteTemplate(template, from: next, failedIn: starts.count - 1, error)
      throw error
    }
  }

  // MARK: Claims

  /// The value of an operation below `auth`, containers included.
  func claims(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> JSON {
    context.dependencies?.usesAuth = true
    guard context.observation != nil else { return try claim(index, &context) }
    do {
      let claim = try claim(index, &context)
      context.observation?.note(index, .claim(claim))
      return claim
    } catch {
      context.observation?.note(index, .error(error))
      throw error
    }
  }

  private func claim(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> JSON {
    switch operations[Int(index)] {
    case .claims(let first, let count):
      var claim = context.auth
      for name in first..<first + count {
        context.observation?.noteClaim(index, prefix: Int(name - first), claim)
        claim = claim.member(names[Int(name)])
      }
      return claim
    case .claimName(let receiver, let name): return try claims(receiver, &context).member(names[Int(name)])
    case .claimIndex(let receiver, let operand):
      let claim = try claims(receiver, &context)
      switch try evaluate(operand, &context) {
      case .string(let name): return claim.member(name)
      case .number(let value): return claim.member(NumberText.of(value))
      default: throw failure(.wrongType, index)
      }
    case .claimLength(let receiver):
      switch try claims(receiver, &context) {
      case .string(let text):
        try charge(text.utf8.count, index, &context)
        return .int(Int64(Text.length(text)))
      case .array(let elements): return .int(Int64(elements.count))
      case .object(let members): return JSON.object(members).member("length")
      case .null, .bool, .int, .double: throw failure(.wrongType, index)
      }
    case .conditional(let condition, let then, let otherwise):
      return try claims(try truth(condition, &context) ? then : otherwise, &context)
    default: throw failure(.wrongType, index)
    }
  }
}

extension JSON {
  /// The member of an object or the element of an array; null when there is none.
  fileprivate func member(_ name: String) -> JSON {
    switch self {
    case .object(let members):
      for index in members.indices.reversed() where Text.areEqual(members[index].name, name) {
        return members[index].value
      }
      return .null
    case .array(let elements):
      if let index = Int(name), elements.indices.contains(index), String(index) == name {
        return elements[index]
      }
      return .null
    default: return .null
    }
  }
}
