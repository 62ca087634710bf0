import HearthTree

/// A reader of JSON text as values with their offsets.
enum JSONDocument {
  static func read(_ document: DocumentText) throws(DocumentProblem) -> LocatedValue {
    var limits = JSONLimits()
    limits.nestingMax = WorkbenchLimits.nestingMax
    limits.generalValuesMax = WorkbenchLimits.valuesMax
    do throws(JSONError) {
      return try Array(document.text.utf8).withUnsafeBufferPointer { buffer throws(JSONError) in
        let bytes = UnsafeRawBufferPointer(buffer)
        var reading = Reading(json: JSONReader(bytes, limits: limits), bytes: bytes)
        let value = try reading.value()
        try reading.json.end()
        return value
      }
    } catch {
      throw document.problem(error.message + ".", help: help(error.code), at: .byte(error.offset))
    }
  }

  private static func help(_ code: JSONError.Code) -> String? {
    switch code {
    case .unexpectedByte: "JSON allows no comments, no trailing commas and only double quotes. YAML allows comments."
    default: nil
    }
  }

  private struct Reading {
    var json: JSONReader
    let bytes: UnsafeRawBufferPointer  // because the reader reads in place; `read` keeps it alive
    private var count = 0

    init(json: JSONReader, bytes: UnsafeRawBufferPointer) {
      self.json = json
      self.bytes = bytes
    }

    mutating func value() throws(JSONError) -> LocatedValue {
      let kind = try json.kind()
      let offset = json.offset
      count += 1
      guard count <= WorkbenchLimits.valuesMax else {
        throw JSONError(.tooMany, "There are more than \(WorkbenchLimits.valuesMax) values", at: offset)
      }
      return LocatedValue(try form(kind), at: .byte(offset))
    }

    private mutating func form(_ kind: JSONReader.Kind) throws(JSONError) -> LocatedValue.Form {
      switch kind {
      case .object: return .object(try members())
      case .array:
        var elements: [LocatedValue] = []
        try json.beginArray()
        while try json.nextElement() { elements.append(try value()) }
        return .array(elements)
      case .null, .bool, .number, .string:
        switch try json.value() {
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .double(let value): return .double(value)
        case .string(let text): return .string(text)
        case .null, .array, .object: return .null
        }
      }
    }

    private mutating func members() throws(JSONError) -> [LocatedValue.Member] {
      var members: [LocatedValue.Member] = []
      var names: Set<Key> = []
      try json.beginObject()
      while true {
        let place = nameOffset
        guard let name = try json.nextMember() else { return members }
        guard names.insert(Key(name)).inserted else {
          throw JSONError(.invalidKey, "'\(name)' occurs twice in one object", at: place)
        }
        members.append(LocatedValue.Member(name: name, place: .byte(place), value: try value()))
      }
    }

    /// The offset at which the next member's name begins: after white space and a comma.
    private var nameOffset: Int {
      var offset = json.offset
      while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ",")].contains(bytes[offset]) { offset += 1 }
      return offset
    }
  }
}
