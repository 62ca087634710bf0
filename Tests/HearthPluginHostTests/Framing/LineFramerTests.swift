import RandomTestKit
import Testing

@testable import HearthPluginHost

@Suite struct LineFramerTests {
  static func lines(_ pieces: [String], max: Int = 10) throws -> [String] {
    var framer = LineFramer(lineBytesMax: max)
    var lines: [String] = []
    for piece in pieces {
      framer.append(piece.utf8)
      while let line = try framer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    }
    return lines
  }

  @Test("lines are returned complete, however the stream is divided")
  func cuts() throws {
    #expect(try Self.lines(["a\nbc\n\n", "d"]) == ["a", "bc", ""])
    #expect(try Self.lines(["he", "ll", "o\nw", "orld\n"]) == ["hello", "world"])
    let text = "one\ntwo\n\nthree\n"
    for cut in 0...text.utf8.count {
      let bytes = Array(text.utf8)
      let pieces = [bytes[..<cut], bytes[cut...]].map { String(decoding: $0, as: UTF8.self) }
      #expect(try Self.lines(pieces) == ["one", "two", "", "three"])
    }
  }

  @Test("a line at the limit is accepted, and a longer one is an error, finished or not")
  func limit() throws {
    #expect(try Self.lines(["1234567890\n"]) == ["1234567890"])
    #expect(throws: LineFramer.TooLong.self) { try Self.lines(["12345678901\n"]) }
    #expect(throws: LineFramer.TooLong.self) { try Self.lines(["12345", "678901"]) }
  }

  @Test("the buffer holds at most a line and one piece of the stream")
  func holdsLittle() throws {
    var framer = LineFramer(lineBytesMax: 100)
    for _ in 0..<10_000 {
      framer.append(Array("{\"id\":1}\n{\"i".utf8))
      while try framer.next() != nil {}
      framer.append(Array("\n".utf8))
      while try framer.next() != nil {}
      #expect(framer.heldBytes <= 200)
    }
  }

  @Test("lines divided at random are returned as they were sent")
  func random() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      let lines = (0..<20).map { _ in
        (0..<Int.random(in: 0...30, using: &random)).map { _ in UInt8.random(in: 11...255, using: &random) }
      }
      var rest = Array(lines.map { $0 + [UInt8(ascii: "\n")] }.joined())[...]
      var framer = LineFramer(lineBytesMax: 30)
      var out: [[UInt8]] = []
      while !rest.isEmpty {
        let count = Int.random(in: 1...40, using: &random)
        framer.append(rest.prefix(count))
        rest = rest.dropFirst(count)
        while let line = try framer.next() { out.append(Array(line)) }
      }
      #expect(out == lines)
    }
  }
}
