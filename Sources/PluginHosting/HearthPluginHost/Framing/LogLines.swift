/// A converter of a plugin's standard error into log lines: limited in rate and length, and without characters that
/// move a terminal's cursor. It does no input or output and reads no clock.
struct LogLines {
  /// The maximum length of a line in characters; longer lines are cut.
  static let lineLengthMax = 1_000
  /// The maximum number of lines of one process in a second; more are counted and dropped.
  static let linesPerSecondMax = 100

  private var line: [UInt8] = []
  private var isCut = false
  private var second: Int64 = 0
  private var count = 0
  private var droppedCount = 0

  /// Returns the lines that the bytes complete.
  ///
  /// - Parameter now: milliseconds on the monotonic clock.
  mutating func append(_ piece: some Collection<UInt8>, now: Int64) -> [String] {
    var lines: [String] = []
    for byte in piece {
      if byte == UInt8(ascii: "\n") {
        finish(into: &lines, now: now)
      } else if line.count < Self.lineLengthMax {
        line.append(byte)
      } else {
        isCut = true
      }
    }
    return lines
  }

  /// Returns the unfinished line at the end of the stream, and the number of dropped lines.
  mutating func end(now: Int64) -> [String] {
    var lines: [String] = []
    if !line.isEmpty { finish(into: &lines, now: now) }
    if let dropped = takeDropped() { lines.append(dropped) }
    return lines
  }

  private mutating func finish(into lines: inout [String], now: Int64) {
    defer { (line, isCut) = ([], false) }
    if now / 1_000 != second {
      if let dropped = takeDropped() { lines.append(dropped) }
      (second, count) = (now / 1_000, 0)
    }
    guard count < Self.linesPerSecondMax else {
      droppedCount += 1
      return
    }
    count += 1
    lines.append(Self.printable(line) + (isCut ? " …" : ""))
  }

  private mutating func takeDropped() -> String? {
    guard droppedCount > 0 else { return nil }
    defer { droppedCount = 0 }
    return "(\(droppedCount) lines were dropped)"
  }

  /// Returns the text without control characters; each of them, and each invalid byte, becomes a question mark.
  static func printable(_ bytes: some Collection<UInt8>) -> String {
    var out = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
        out.append(scalar == "\t" ? " " : "?")
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}
