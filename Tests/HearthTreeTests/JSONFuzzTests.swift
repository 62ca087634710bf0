import HearthTree
import RandomTestKit
import Testing

/// Tests with random texts from a seed. A failure names the seed, which reproduces the texts.
@Suite("Random JSON texts") struct JSONFuzzTests {
  @Test("Accepted texts are encoded and parsed unchanged", arguments: 1...20 as ClosedRange<UInt64>)
  func thatAreWrittenComeBackTheSame(seed: UInt64) throws {
    var texts = JSONTextGenerator(seed: seed)
    for _ in 0..<40 {
      let text = texts.data()
      let node = try JSONSample.read(text) { try $0.writeValue() }.node
      let export = node.json(.export)
      let back = try JSONSample.read(export) { try $0.writeValue() }
      #expect(back.node == node, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
      #expect(back.node.json(.export) == export)
      #expect(back.deferred.isEmpty)
      let pretty = try JSONSample.read(node.json(.export, pretty: true)) { try $0.writeValue() }.node
      #expect(pretty == node)
      // The plain form has everything but priorities.
      let plain = try JSONSample.read(node.json(.plain)) { try $0.writeValue() }.node
      #expect(plain.json(.plain) == node.json(.plain))
      #expect(node.accepts(hash: back.node.simpleHash()))
    }
  }

  @Test("Any text ends in a value or an error", arguments: 1...20 as ClosedRange<UInt64>) func endInAValueOrAnError(
    seed: UInt64
  )
    throws
  {
    var texts = JSONTextGenerator(seed: seed)
    for _ in 0..<60 {
      let text = texts.mutated(texts.data())
      let isJSON = JSONSample.error(text) { try $0.skipValue() } == nil
      let isValue = JSONSample.error(text) { _ = try $0.value() } == nil
      #expect(isJSON == isValue, "seed \(seed)")
      guard let write = try? JSONSample.read(text, { try $0.writeValue() }) else { continue }
      #expect(isJSON, "seed \(seed)")
      let node = write.resolved(existing: .empty, nowMilliseconds: 1)
      #expect(try JSONSample.read(node.json()) { try $0.writeValue() }.node == node, "seed \(seed)")
      _ = JSONSample.error(text) { _ = try $0.merge() }
    }
  }

  @Test("Any bytes end in a value or an error", arguments: 1...10 as ClosedRange<UInt64>) func needNotBeTextAtAll(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let likely = Array(#"{}[]",:\u0123456789eE+-.truefalsn dD89AB"#.utf8)
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        random.next() % 8 == 0 ? UInt8(truncatingIfNeeded: random.next()) : likely.randomElement(using: &random) ?? 0
      }
      let isJSON = JSONSample.error(text) { try $0.skipValue() } == nil
      #expect((JSONSample.error(text) { _ = try $0.value() } == nil) == isJSON, "seed \(seed)")
      if JSONSample.error(text, { _ = try $0.writeValue() }) == nil { #expect(isJSON, "seed \(seed)") }
    }
  }
}

/// A generator of data texts, most of them valid.
struct JSONTextGenerator {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Returns data with priorities, arrays, nulls, escapes and spaces at random positions.
  mutating func data() -> [UInt8] { Array(value(depth: 0).utf8) }

  private mutating func value(depth: Int) -> String {
    let kinds = depth < 5 ? 10 : 6
    let text =
      switch Int.random(in: 0..<kinds, using: &random) {
      case 0: "null"
      case 1: Bool.random(using: &random) ? "true" : "false"
      case 2, 3: number()
      case 4, 5: string()
      case 6: "[" + list(depth) { $0.value(depth: depth + 1) } + "]"
      case 7: "{\".value\":\(scalar()),\".priority\":\(priority())}"
      case 8: "{" + list(depth) { $0.member(depth) } + "}"
      default: "{\".priority\":\(priority()),\"k\":\(value(depth: depth + 1))}"
      }
    return random.next() % 8 == 0 ? " \n\(text)\t" : text
  }

  private mutating func list(_ depth: Int, _ item: (inout Self) -> String) -> String {
    (0..<Int.random(in: 0...5, using: &random)).map { _ in item(&self) }.joined(separator: ",")
  }

  private mutating func member(_ depth: Int) -> String {
    let keys = ["a", "b", "0", "1", "2", "-5", "01", "é", "e\u{301}", "🐵", "\u{FFFD}", "\\u0061", "\\ud83d\\udc35"]
    return "\"\(keys.randomElement(using: &random) ?? "")\":\(value(depth: depth + 1))"
  }

  private mutating func scalar() -> String { Bool.random(using: &random) ? number() : string() }

  private mutating func priority() -> String { random.next() % 4 == 0 ? "null" : scalar() }

  private mutating func number() -> String {
    switch random.next() % 4 {
    case 0: return String(Int64(bitPattern: random.next()))
    case 1: return String(Int64.random(in: -10...10, using: &random))
    case 2: return "\(Double.random(in: -1e3...1e3, using: &random))"
    default:
      let value = Double(bitPattern: random.next())
      return value.isFinite ? "\(value)" : "1.5e3"
    }
  }

  private mutating func string() -> String {
    let parts = ["a", "text ", "é", "🐵", "\\n", "\\u0000", "\\\"", "\\\\", "\\ud83d\\udc35", "\u{7F}", "e\u{301}", "/"]
    let count = Int.random(in: 0...12, using: &random)
    return "\"" + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined() + "\""
  }

  /// Returns the text with some bytes changed, removed, inserted, cut off or repeated.
  mutating func mutated(_ text: [UInt8]) -> [UInt8] {
    var text = text
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0...text.count, using: &random)
      let byte = UInt8(truncatingIfNeeded: random.next())
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where place < text.count: text[place] = byte
      case 1 where place < text.count: text[place] ^= 1 << (byte & 7)
      case 2 where place < text.count: text.remove(at: place)
      case 3: text.insert(Array("{}[]\",:\\.-0".utf8).randomElement(using: &random) ?? 0, at: place)
      case 4: text.removeSubrange(place...)
      default: text.insert(contentsOf: text[place...].prefix(8), at: Int.random(in: 0...text.count, using: &random))
      }
    }
    return text
  }
}
