import HearthWire
import Testing

@Suite struct SegmentTests {
  private func receive(_ text: String, _ assembler: inout SegmentAssembler) throws -> SegmentAssembler.Outcome {
    try receive(Array(text.utf8), &assembler)
  }

  private func receive(_ text: [UInt8], _ assembler: inout SegmentAssembler) throws -> SegmentAssembler.Outcome {
    try text.withUnsafeBytes { try assembler.receive($0) }
  }

  @Test func `a text that is not a number is a message`() throws {
    var assembler = SegmentAssembler()
    for text in ["{}", "", "1234567", "12a", "-1", " 2"] {
      #expect(try receive(text, &assembler) == .whole)
      #expect(!assembler.isIncomplete)
    }
  }

  @Test func `a zero is a keep-alive`() throws {
    var assembler = SegmentAssembler()
    for text in ["0", "000"] {
      #expect(try receive(text, &assembler) == .keepalive)
      #expect(!assembler.isIncomplete)
    }
  }

  @Test func `a count is followed by that many segments with any content`() throws {
    var assembler = SegmentAssembler()
    #expect(try receive("3", &assembler) == .incomplete)
    #expect(assembler.isIncomplete)
    #expect(try receive("{\"a\":", &assembler) == .incomplete)
    #expect(try receive("0", &assembler) == .incomplete)
    #expect(try receive("}", &assembler) == .assembled(Array("{\"a\":0}".utf8)))
    #expect(!assembler.isIncomplete)
    #expect(try receive("1", &assembler) == .incomplete)
    #expect(try receive("{}", &assembler) == .assembled(Array("{}".utf8)))
  }

  @Test func `9999 segments are accepted and 10000 are not`() throws {
    var assembler = SegmentAssembler()
    #expect(try receive("9999", &assembler) == .incomplete)
    for _ in 0..<9998 { #expect(try receive("x", &assembler) == .incomplete) }
    #expect(try receive("x", &assembler) == .assembled(Array(repeating: UInt8(ascii: "x"), count: 9999)))
    #expect(throws: WireError(.tooManySegments, "")) { try receive("10000", &assembler) }
  }

  @Test func `a message may have its limit and no byte more, in one text or in segments`() throws {
    var limits = WireLimits()
    limits.messageBytesMax = 10
    var assembler = SegmentAssembler(limits: limits)
    #expect(try receive("{12345678}", &assembler) == .whole)
    #expect(throws: WireError(.tooLong, "")) { try receive("{123456789}", &assembler) }
    #expect(try receive("2", &assembler) == .incomplete)
    #expect(try receive("12345", &assembler) == .incomplete)
    #expect(try receive("67890", &assembler) == .assembled(Array("1234567890".utf8)))
    #expect(try receive("2", &assembler) == .incomplete)
    #expect(try receive("12345", &assembler) == .incomplete)
    #expect(throws: WireError(.tooLong, "")) { try receive("678901", &assembler) }
  }

  /// Returns the segments of a text, and checks that they can be joined again.
  private func split(_ text: String, unitsMax: Int) throws -> [String] {
    let bytes = Array(text.utf8)
    let segments = bytes.withUnsafeBytes { OutboundSegments($0, unitsMax: unitsMax) }
    let parts = segments.ranges.map { String(decoding: bytes[$0], as: UTF8.self) }
    #expect(segments.count == (parts.count > 1 ? Array(String(parts.count).utf8) : nil))
    #expect(parts.joined().utf8.elementsEqual(bytes))
    for part in parts { #expect((1...unitsMax).contains(part.utf16.count)) }
    return parts
  }

  @Test func `sent messages are split by UTF-16 units and never inside a character`() throws {
    #expect(try split("abcdefgh", unitsMax: 8) == ["abcdefgh"])
    #expect(try split("abcdefghi", unitsMax: 8) == ["abcdefgh", "i"])
    #expect(try split("ééééé", unitsMax: 2) == ["éé", "éé", "é"])
    #expect(try split("a🐵🐵b", unitsMax: 2) == ["a", "🐵", "🐵", "b"])
    #expect(try split("a🐵🐵b", unitsMax: 3) == ["a🐵", "🐵b"])
    #expect(try split(String(repeating: "🐵", count: 9000), unitsMax: 16_384).count == 2)
  }

  @Test func `only the Java client for servers needs segments`() {
    #expect(OutboundSegments.areNeeded(userAgent: "Firebase/5/9.0.0/17/AdminJava"))
    #expect(!OutboundSegments.areNeeded(userAgent: "Firebase/5/9.0.0/17/Android"))
    #expect(!OutboundSegments.areNeeded(userAgent: "AdminJava/1"))
    #expect(!OutboundSegments.areNeeded(userAgent: nil))
  }
}
