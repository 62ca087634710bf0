/// Makes lines for a log out of what a plugin writes to its standard error: so many a second, cut, and without what could
/// move a terminal's cursor. Pure: it is handed bytes and the time.
struct LogLines {
  /// Characters of a line; what is longer is cut.
  static let lineLengthMax = 1_000
  /// Lines of one process in a second; more are counted and not kept.
  static let linesPerSecondMax = 100

  private var line: [UInt8] = []
  private var isCut = false
  private var second: Int64 = 0
  private var count = 0
  private var droppedCount = 0

  /// The lines that the bytes finish.
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

  /// What is left where the stream ends, and how many lines were dropped.
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

  /// Text without control characters; each of them, and each byte that is no text, becomes a question mark.
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
