import HearthRules

/// The lines of a rules file, to show the one that a finding is in.
struct LineTexts {
  private let bytes: [UInt8]
  private let starts: [Int]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var starts = [0]
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(offset + 1) }
    self.starts = starts
  }

  /// A line by its number from 1, without its line break; empty when it is too long to show.
  func line(_ number: Int) -> String {
    guard number >= 1, number <= starts.count else { return "" }
    let end = number < starts.count ? starts[number] : bytes.count
    var line = bytes[starts[number - 1]..<end]
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    return line.count > RulesLimits.sourceLineBytesMax ? "" : String(decoding: line, as: UTF8.self)
  }
}
