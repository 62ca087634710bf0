/// The text of a hand-written file, with the offsets of its lines.
package struct SourceText: Sendable {
  /// The text in UTF-8.
  package let bytes: [UInt8]
  private let lineStarts: [Int]
  /// The number of UTF-16 units before every 64th byte. It makes columns fast to compute even when the whole file is
  /// one line.
  private let unitCounts: [Int]
  private static let stride = 64
  /// The origin of the text; positions then refer to the original file. nil for a text that was not generated.
  private let origin: OriginText?

  /// Creates a source text without an origin.
  package init(_ text: String) { self.init(text, origin: nil) }

  /// Creates a source text.
  init(_ text: String, origin: OriginText?) {
    self.origin = origin
    bytes = Array(text.utf8)
    var (starts, counts, units) = ([0], [Int](), 0)
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.stride == 0 { counts.append(units) }
      if byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
      units += Self.units(byte)
    }
    (lineStarts, unitCounts) = (starts, counts + [units])
  }

  /// Returns the line and column of a byte. Columns count UTF-16 units, as Firebase and editors do.
  package func position(ofByte offset: Int) -> SourcePosition {
    if let origin { return origin.position(ofByte: offset) }
    let line = lineIndex(ofByte: offset)
    let units = unitCount(before: min(offset, bytes.count)) - unitCount(before: lineStarts[line])
    return SourcePosition(line: line + 1, column: units + 1)
  }

  /// Returns the positions at which a range of bytes begins and ends. In a generated text, a span from several segments
  /// has an end equal to its start.
  func span(ofBytes range: Range<Int>) -> (start: SourcePosition, end: SourcePosition) {
    origin?.span(ofBytes: range) ?? (position(ofByte: range.lowerBound), position(ofByte: range.upperBound))
  }

  /// Returns the reported position of a value: its first character, or the source position of its opening quote.
  func position(ofValueAt offset: Int, quotedAt quote: Int) -> SourcePosition {
    position(ofByte: origin == nil ? offset : quote)
  }

  private func unitCount(before offset: Int) -> Int {
    let block = offset / Self.stride
    return bytes[block * Self.stride..<offset].reduce(unitCounts[block]) { $0 + Self.units($1) }
  }

  /// Returns the number of UTF-16 units whose UTF-8 begins with a byte.
  private static func units(_ byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }

  /// Returns the line that contains a byte, without its line break; empty when it is too long to show.
  package func line(ofByte offset: Int) -> String {
    origin?.line(ofByte: offset) ?? line(lineIndex(ofByte: offset) + 1)
  }

  /// Returns a line by its number, counted from 1, like ``line(ofByte:)``; empty when there is no such line.
  package func line(_ number: Int) -> String {
    guard lineStarts.indices.contains(number - 1) else { return "" }
    let line = number - 1
    let end = line + 1 < lineStarts.count ? lineStarts[line + 1] : bytes.count
    var slice = bytes[lineStarts[line]..<end]
    while let last = slice.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { slice.removeLast() }
    return slice.count > RulesLimits.sourceLineBytesMax ? "" : String(decoding: slice, as: UTF8.self)
  }

  /// Returns a problem at a byte, with its line and column.
  package func diagnostic(_ message: String, help: String?, atByte offset: Int) -> RulesError.Diagnostic {
    let position = position(ofByte: offset)
    return RulesError.Diagnostic(
      line: position.line, column: position.column, message: message, help: help, sourceLine: line(ofByte: offset))
  }

  private func lineIndex(ofByte offset: Int) -> Int {
    var (low, high) = (0, lineStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }
}
