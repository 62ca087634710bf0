/// The text of a rules file, and where its lines begin.
struct SourceText: Sendable {
  let bytes: [UInt8]
  private let lineStarts: [Int]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var starts = [0]
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
    lineStarts = starts
  }

  /// Line and column of a byte. Columns count UTF-16 units, as the service and editors do.
  func position(ofByte offset: Int) -> SourcePosition {
    let line = lineIndex(ofByte: offset)
    let prefix = bytes[lineStarts[line]..<max(lineStarts[line], min(offset, bytes.count))]
    let units = prefix.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) }
    return SourcePosition(line: line + 1, column: units + 1)
  }

  /// The line that a byte is in, without its line break.
  func line(ofByte offset: Int) -> String {
    let line = lineIndex(ofByte: offset)
    let end = line + 1 < lineStarts.count ? lineStarts[line + 1] : bytes.count
    var slice = bytes[lineStarts[line]..<end]
    while let last = slice.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { slice.removeLast() }
    return String(decoding: slice, as: UTF8.self)
  }

  func diagnostic(_ message: String, help: String?, atByte offset: Int) -> RulesError.Diagnostic {
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
