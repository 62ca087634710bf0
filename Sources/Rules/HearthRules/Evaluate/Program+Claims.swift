import HearthTree

extension Program {
  /// Returns the value of an operation below `auth`. Only the result is copied, not `auth`.
  func claim(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Operand {
    context.notes?.before.usesAuth = true
    if context.observation == nil, case .claims(let first, let count) = operations[Int(index)] {
      guard let auth = context.auth.pointee else { return .null }
      return operand(of: auth, names: first, count: count)
    }
    return Operand(Value(try claims(index, &context)))
  }

  /// Returns the value at a path of member names below a claim.
  private func operand(of claim: JSON, names first: Int32, count: Int32) -> Operand {
    switch claim {
    case .object(let members) where count > 0:
      for index in members.indices.reversed() where Text.areEqual(members[index].name, names[Int(first)]) {
        return operand(of: members[index].value, names: first + 1, count: count - 1)
      }
      return .null
    case _ where count > 0:
      // Lists have members too; but rules rarely read them.
      let member = claim.member(names[Int(first)])
      return operand(of: member, names: first + 1, count: count - 1)
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .number(Double(value))
    case .double(let value): return .number(value)
    case .string(let text): return .string(text)
    case .array, .object: return .container
    }
  }

  /// Returns the value of an operation below `auth`, containers included.
  private func claims(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> JSON {
    guard context.observation != nil else { return try json(index, &context) }
    do {
      let claim = try json(index, &context)
      context.observation?.note(index, .claim(claim))
      return claim
    } catch {
      context.observation?.note(index, .error(error))
      throw error
    }
  }

  private func json(_ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> JSON {
    switch operations[Int(index)] {
    case .claims(let first, let count):
      var claim = context.auth.pointee ?? .null
      for name in first..<first + count {
        context.observation?.noteClaim(index, prefix: Int(name - first), claim)
        claim = claim.member(names[Int(name)])
      }
      return claim
    case .claimName(let receiver, let name): return try claims(receiver, &context).member(names[Int(name)])
    case .claimIndex(let receiver, let operand):
      let claim = try claims(receiver, &context)
      let name = try evaluate(operand, &context)
      if let text = name.string { return claim.member(text) }
      guard case .number(let value) = name else { throw failure(.wrongType, index) }
      return claim.member(NumberText.of(value))
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
  /// Returns the member of an object or the element of an array; null when there is none.
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
