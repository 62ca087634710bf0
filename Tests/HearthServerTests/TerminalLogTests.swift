import Logging
import Testing

@testable import HearthServer

/// Tests of log lines for a terminal.
@Suite struct TerminalLogTests {
  private static func text(
    _ message: String, _ metadata: Logger.Metadata = [:], level: Logger.Level = .info, options: String = "",
    isColored: Bool = false
  ) -> String {
    TerminalLogLine(
      time: "18:43:16", level: level, message: message, metadata: metadata, explainOptions: options,
      isColored: isColored
    ).text
  }

  private static let denial: Logger.Metadata = [
    "database": "default", "operation": "put", "path": "/users/u1", "uid": "-", "trace": "1-1", "request": "r",
    "outcome": "noGrant", "rule": ".write at /users/$uid", "line": "7:20",
  ]

  @Test func `a denial is a sentence, and a hint for its explanation`() {
    #expect(
      Self.text("denied", Self.denial) == """
        18:43:16 denied    write /users/u1 by <signed out>  rule .write at /users/$uid (7:20)  database=default
                 why: hearth rules explain --trace 1-1

        """)
    #expect(Self.text("denied", Self.denial, options: " --data /srv").hasSuffix("--trace 1-1 --data /srv\n"))
  }

  @Test func `other lines begin with the level, and end with the metadata`() {
    #expect(Self.text("stopped") == "18:43:16 info      stopped\n")
    #expect(
      Self.text("cannot open", ["error": "no", "database": "a"], level: .error)
        == "18:43:16 error     cannot open  database=a error=no\n")
    #expect(Self.text("accounts", ["notice": "kept"], level: .warning) == "18:43:16 accounts  kept\n")
  }

  @Test func `texts of clients cannot begin a line or control a terminal`() {
    let hostile = "a\n18:00 info\u{1B}[31m\r\u{7F}\u{9B}\u{2028}\u{202E}é"
    var metadata = Self.denial
    metadata["uid"] = .string(hostile)
    metadata["path"] = .string("/" + hostile)
    metadata[hostile] = .string(hostile)
    for line in [
      Self.text("denied", metadata), Self.text(hostile, metadata), Self.text("console", ["event": .string(hostile)]),
    ] {
      let text = line.dropLast()
      #expect(
        text.unicodeScalars.allSatisfy { $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory) })
      #expect(text.split(separator: "\n").count <= 2 && line.hasSuffix("\n"))
    }
  }

  @Test func `colours are escape sequences around words, and absent without`() {
    #expect(
      Self.text("stopped", isColored: true) == "\u{1B}[2m18:43:16\u{1B}[0m \u{1B}[32minfo\u{1B}[0m      stopped\n")
    #expect(!Self.text("denied", Self.denial).contains("\u{1B}"))
  }
}
