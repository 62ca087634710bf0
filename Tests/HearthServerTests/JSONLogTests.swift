import HearthTree
import Logging
import Synchronization
import Testing

@testable import HearthServer

/// Tests of log lines in JSON.
@Suite struct JSONLogTests {
  private static func line(_ message: String, _ metadata: Logger.Metadata = [:]) -> String {
    String(
      decoding: JSONLogLine(
        milliseconds: 1_717_156_800_123, level: .notice, message: message, logger: "hearth", metadata: metadata
      ).bytes, as: UTF8.self)
  }

  @Test("a log line is an object: time, level, message, then other members by name")
  func plain() {
    #expect(
      Self.line("denied", ["path": "/a", "database": "default"])
        == #"{"time":"2024-05-31T12:00:00.123Z","level":"notice","message":"denied","logger":"hearth","#
        + #""database":"default","path":"/a"}"# + "\n")
  }

  @Test("log values cannot end a line, forge a member or control a terminal")
  func escaping() throws {
    let text = "a\"},\n\r\t\\\u{0}\u{1B}[31m\u{7F}\u{9B}\u{2028}\u{202E}\u{E0001}é😀"
    let line = Self.line(text, [text: .string(text), "level": "forged"])
    #expect(line.unicodeScalars.filter { $0 == "\n" }.count == 1 && line.hasSuffix("}\n"))
    #expect(
      line.unicodeScalars.dropLast().allSatisfy {
        ![.control, .format, .lineSeparator].contains($0.properties.generalCategory)
      })
    let json = try #require(JSON(parsing: line.utf8))
    #expect(json["message"]?.string == text && json[text]?.string == text)
    #expect(json["level"]?.string == "notice" && json["_level"]?.string == "forged")
  }

  @Test("nested values stay nested, and a text of any length is truncated")
  func nested() throws {
    let line = Self.line(
      String(repeating: "é", count: 20_000), ["list": .array(["a", .dictionary(["b": .stringConvertible(1)])])])
    let json = try #require(JSON(parsing: line.utf8))
    #expect(json["message"]?.string?.utf8.count == JSONLogLine.textBytesMax)
    #expect(json["list"] == .array([.string("a"), .object([.init("b", .string("1"))])]))
  }

  @Test("a line has the logger's metadata, its provider's and an error; the line's own metadata takes precedence")
  func handler() throws {
    let lines = Mutex<[[UInt8]]>([])
    var logger = Logger(label: "hearth") { label in
      JSONLogHandler(
        label: label, write: { line in lines.withLock { $0.append(line) } },
        metadataProvider: Logger.MetadataProvider { ["request": "r-1", "who": "provider"] })
    }
    logger[metadataKey: "who"] = "logger"
    logger.info("one", metadata: ["who": "line"])
    logger.debug("not this")
    let written = lines.withLock { $0 }
    #expect(written.count == 1)
    let json = try #require(JSON(parsing: written[0]))
    #expect(json["request"]?.string == "r-1" && json["who"]?.string == "line" && json["message"]?.string == "one")
  }
}
