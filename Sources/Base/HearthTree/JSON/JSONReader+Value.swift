extension JSONReader {
  /// Reads any value as a general JSON value.
  public mutating func value() throws(JSONError) -> JSON {
    var count = 0
    return try value(count: &count)
  }

  private mutating func value(count: inout Int) throws(JSONError) -> JSON {
    count += 1
    guard count <= limits.generalValuesMax else {
      throw JSONError(.tooMany, "More than \(limits.generalValuesMax) values", at: position)
    }
    switch try kind() {
    case .null:
      try literal("null")
      return .null
    case .bool: return .bool(try bool())
    case .string: return .string(try string())
    case .number:
      let scalar = try number()
      if case .int(let value) = scalar { return .int(value) }
      return .double(scalar.number ?? 0)
    case .array:
      var elements: [JSON] = []
      try beginArray()
      while try nextElement() { elements.append(try value(count: &count)) }
      return .array(elements)
    case .object:
      var members: [JSON.Member] = []
      try beginObject()
      while let name = try nextMember() { members.append(JSON.Member(name, try value(count: &count))) }
      return .object(members)
    }
  }

  /// Skips a value, and checks that it is JSON.
  public mutating func skipValue() throws(JSONError) {
    switch try kind() {
    case .null: try literal("null")
    case .bool: _ = try bool()
    case .string: _ = try stringSpan()
    case .number: _ = try number()
    case .array:
      try beginArray()
      while try nextElement() { try skipValue() }
    case .object:
      try beginObject()
      while try nextName() != nil { try skipValue() }
    }
  }
}
