import HearthTree
import RandomTestKit
import Testing

@Suite("Splitting the text of a large tree into writes") struct JSONDataSplitterTests {
  private typealias Cut = (parts: [JSONDataSplitter.Part], error: JSONError?, place: (line: Int, column: Int)?)

  /// Splits a text into parts.
  ///
  /// - Parameter pieces: The sizes of the pieces in which the text arrives, repeated from the start.
  private func cut(
    _ text: [UInt8], max: Int = 1 << 20, depth: Int = 0, pieces: [Int] = [1 << 16], limits: JSONLimits = .standard
  ) -> Cut {
    var cutter = JSONDataSplitter(depth: depth, partBytesMax: max, limits: limits)
    var (parts, rest, turn): ([JSONDataSplitter.Part], ArraySlice<UInt8>, Int) = ([], text[...], 0)
    var isFinished = false
    do throws(JSONError) {
      while !cutter.isAtEnd {
        if let part = try cutter.next() {
          parts.append(part)
        } else if isFinished, !cutter.isAtEnd {
          Issue.record("neither a part, nor an error, nor the end")
          break
        } else if rest.isEmpty {
          cutter.finish()
          isFinished = true
        } else {
          cutter.append(rest.prefix(pieces[turn % pieces.count]))
          rest = rest.dropFirst(pieces[turn % pieces.count])
          turn += 1
        }
      }
      return (parts, nil, nil)
    } catch {
      return (parts, error, cutter.place(of: error))
    }
  }

  private func cut(_ text: String, max: Int = 1 << 20, pieces: [Int] = [1 << 16]) -> Cut {
    cut(Array(text.utf8), max: max, pieces: pieces)
  }

  private func name(_ part: JSONDataSplitter.Part) throws -> String? {
    guard let name = part.name else { return nil }
    return try #require(JSON(parsing: [0x22] + name + [0x22])?.string)
  }

  /// Writes the parts in order, as a server would.
  private func written(_ parts: [JSONDataSplitter.Part]) throws -> Node {
    var node = Node.empty
    for part in parts {
      var path = Path(part.parent.map { Key($0) })
      let name = try name(part)
      if let name, !part.isPriority { path = path.appending(Key(name)) }
      if part.isPriority {
        #expect(name == ".priority")
        let value = try part.text.withUnsafeBytes { bytes in
          var reader = JSONReader(bytes)
          return try reader.priorityValue()
        }
        guard !node[path].isEmpty else { continue }
        node = node.replacing(path, with: node[path].with(priority: value.node.scalar))
      } else {
        node = node.replacing(path, with: try read(part.text))
      }
    }
    return node
  }

  private func read(_ text: [UInt8]) throws -> Node {
    try text.withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      let value = try reader.writeValue()
      try reader.end()
      return value.node
    }
  }

  @Test("Short data stays one part") func shortDataStaysOnePart() throws {
    for text in ["5", "null", #""é""#, #"{"a":{"b":[1,null,2]},".priority":3}"#, " [true , false ] "] {
      let (parts, error, _) = cut(text, pieces: [1])
      #expect(error == nil)
      try #require(parts.count == 1)
      #expect(parts[0].name == nil && parts[0].parent.isEmpty)
      #expect(String(decoding: parts[0].text, as: UTF8.self) == text.trimmed)
    }
  }

  @Test("Long data is split between its children, and keeps its priority")
  func longDataIsSplit() throws {
    let text = #"{"a":{"x":"0123456789",".priority":7,"y":"0123456789"},"b":[1,null,{"c":"0123456789"}],"d":1}"#
    let (parts, error, _) = cut(text, max: 12)
    #expect(error == nil)
    let told = try parts.map { part in
      "\(part.parent.joined(separator: "/")):\(try name(part) ?? "")=\(String(decoding: part.text, as: UTF8.self))"
    }
    #expect(
      told == [
        #"a:x="0123456789""#, #"a:y="0123456789""#, "a:.priority=7", "b:0=1", #"b/2:c="0123456789""#, ":d=1",
      ])
    #expect(parts.map(\.isPriority) == [false, false, true, false, false, false])
  }

  @Test("An empty container has no priority when it is split") func nothingHasNoPriority() throws {
    let text = #"{"a":{"x":null,"y":null,"z":{"u":null,"v":null},".priority":7},"b":{"c":{"d":1},".priority":8}}"#
    let (parts, error, _) = cut(text, max: 4)
    #expect(error == nil)
    #expect(parts.map { String(decoding: $0.text, as: UTF8.self) } == ["1", "8"])
  }

  @Test("A leaf with a priority is never split") func aLeafWithAPriorityIsNeverCut() throws {
    let leaf = #"{".priority":"0123456789012345678901234567890",".value":"0123456789012345678901234567890"}"#
    let (parts, error, _) = cut(#"{"a":\#(leaf),"b":\#(leaf)}"#, max: 10, pieces: [7])
    #expect(error == nil)
    #expect(parts.map { String(decoding: $0.text, as: UTF8.self) } == [leaf, leaf])
  }

  @Test("Writing the parts in order makes the tree", arguments: UInt64(1)...40)
  func thePartsAreTheTree(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let node = random.model(depth: 1 + random.below(6), variety: [3, 30][Int(seed % 2)]).node
    let text = node.json(.export, pretty: seed % 3 == 0)
    let max = 1 + random.below(text.count + 20)
    let (parts, error, _) = cut(text, max: max, pieces: (0..<5).map { _ in 1 + random.below(60) })
    #expect(error == nil, "seed \(seed)")
    #expect(try written(parts) == node, "seed \(seed)")
    #expect(cut(text, max: max).parts == parts, "however the text arrives: seed \(seed)")
    for part in parts where part.text.first == UInt8(ascii: "{") { #expect(part.text.count <= max + 1_000) }
  }

  @Test("Text that is not JSON, or not valid data, is an error with its place, also when it was split before")
  func errorsPointAtTheirPlace() throws {
    let cases: [(String, JSONError.Code, Int, Int)] = [
      ("{\"a\":1,\n \"b\" 2}", .unexpectedByte, 2, 6), ("{\"a\":1,\n\n\"b/c\":2}", .invalidKey, 3, 1),
      ("[1,\n2", .unexpectedEnd, 2, 2), ("{\"a\":{\".value\":1,\n\"b\":2}}", .invalidMetadata, 2, 1),
      ("{\"a\":{\"b\":2,\n\".sv\":\"timestamp\"}}", .invalidMetadata, 2, 1), ("1 1", .trailingBytes, 1, 3),
      ("{\"a\":1e999}", .numberOutOfRange, 1, 6), ("{\"a\":\"\\uD800\"}", .invalidEscape, 1, 7),
      ("{\"\":1}", .invalidKey, 1, 2), ("{\".what\":1}", .invalidMetadata, 1, 2), ("", .unexpectedEnd, 1, 1),
      ("{\"a\":tru}", .unexpectedByte, 1, 6), ("{\"a\":\"\u{1}\"}", .unexpectedByte, 1, 7),
      ("]", .unexpectedByte, 1, 1),
      ("{\"a\":1]", .unexpectedByte, 1, 7), ("[01]", .unexpectedByte, 1, 3), ("{\"a\":1,}", .unexpectedByte, 1, 8),
    ]
    for (text, code, line, column) in cases {
      for (max, piece) in [(1 << 20, 1 << 16), (1, 1), (1, 3)] {
        let (_, error, place) = cut(text, max: max, pieces: [piece])
        #expect(error?.code == code, "\(text) in pieces of \(piece)")
        #expect(place?.line == line && place?.column == column, "\(text): \(String(describing: place))")
      }
    }
    #expect(cut([0x22, 0xFF, 0x22]).error?.code == .invalidUTF8)
  }

  @Test("Depth is counted from the root, and strings have their limit") func limitsHold() throws {
    let deep = Array((String(repeating: "{\"a\":", count: 31) + "1" + String(repeating: "}", count: 31)).utf8)
    #expect(cut(deep, max: 1, depth: 1, pieces: [3]).error == nil)
    #expect(cut(deep, max: 1, depth: 2).error?.code == .tooDeep)
    var limits = JSONLimits()
    limits.stringSizeBytesMax = 10
    #expect(cut(Array(#"{"a":"0123456789"}"#.utf8), limits: limits).error == nil)
    #expect(cut(Array(#"{"a":"01234567890"}"#.utf8), limits: limits).error?.code == .stringTooLong)
    let endless = Array(#"{"a":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: 500)
    #expect(cut(endless, pieces: [10], limits: limits).error?.code == .stringTooLong)
    let metadata = Array(("{" + String(repeating: #"".value":1,"#, count: 100)).utf8)
    #expect(cut(metadata, max: 4, limits: limits).error?.code == .tooMany)
  }

  @Test("Damaged texts are errors, or other valid data", arguments: UInt64(1)...60)
  func damagedTexts(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var text = random.model(depth: 4, variety: 8).node.json(.export)
    for _ in 0...random.below(3) where !text.isEmpty {
      let place = random.below(text.count)
      switch random.below(3) {
      case 0: text[place] = UInt8(random.below(256))
      case 1: text.remove(at: place)
      default: text.insert(Array("{}[],:\"\\.0n".utf8)[random.below(11)], at: place)
      }
    }
    let (parts, error, _) = cut(text, max: 1 + random.below(40), pieces: [1 + random.below(9)])
    if let expected = try? read(text) {
      if error == nil, Self.hasNoRepeatedName(text) { #expect(try written(parts) == expected, "seed \(seed)") }
    } else {
      #expect(error != nil || (try? written(parts)) == nil, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
    }
  }

  private static func hasNoRepeatedName(_ text: [UInt8]) -> Bool {
    func check(_ value: JSON) -> Bool {
      switch value {
      case .object(let members):
        Set(members.map(\.name)).count == members.count && members.allSatisfy { check($0.value) }
      case .array(let elements): elements.allSatisfy(check)
      default: true
      }
    }
    return JSON(parsing: text).map(check) ?? false
  }
}

extension String {
  fileprivate var trimmed: String {
    var rest = self[...]
    while rest.first == " " { rest = rest.dropFirst() }
    while rest.last == " " { rest = rest.dropLast() }
    return String(rest)
  }
}
