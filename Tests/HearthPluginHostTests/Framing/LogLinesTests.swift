import Testing

@testable import HearthPluginHost

@Suite struct LogLinesTests {
  @Test("control characters and line breaks are replaced by question marks")
  func controls() {
    var log = LogLines()
    #expect(log.append("a\u{1B}[31mb\u{7}\u{2028}\u{202E}c\tä\n".utf8, now: 0) == ["a?[31mb???c ä"])
    #expect(log.append([0x66, 0xFF, 0x0A], now: 0) == ["f\u{FFFD}"])
  }

  @Test("a long line is truncated, and the rest is not kept")
  func long() {
    var log = LogLines()
    for _ in 0..<100 { #expect(log.append([UInt8](repeating: 0x61, count: 1_000), now: 0).isEmpty) }
    #expect(log.append("\n".utf8, now: 0) == [String(repeating: "a", count: LogLines.lineLengthMax) + " …"])
  }

  @Test("lines beyond the rate are counted and not kept, and the count restarts in the next second")
  func rate() {
    var log = LogLines()
    let flood = Array(String(repeating: "x\n", count: LogLines.linesPerSecondMax + 5).utf8)
    #expect(log.append(flood, now: 10).count == LogLines.linesPerSecondMax)
    #expect(log.append("y\n".utf8, now: 1_010) == ["(5 lines were dropped)", "y"])
  }

  @Test("the rest of a stream is a line of its own")
  func end() {
    var log = LogLines()
    #expect(log.append("no end".utf8, now: 0).isEmpty)
    #expect(log.end(now: 0) == ["no end"])
    #expect(log.end(now: 0).isEmpty)
  }
}
