import HearthRules

/// The text of a hand-written file, with its name in messages.
package struct DocumentText: Sendable {
  /// The file's path as the user passed it.
  package let file: String
  /// The whole text.
  package let text: String
  private let source: SourceText
  /// The number of Unicode scalars before every 256th byte, so that the position of each case is fast to compute.
  private let scalarCounts: [Int]
  private static let stride = 256

  /// Creates the text of a file.
  package init(file: String, text: String) {
    self.file = file
    self.text = text
    source = SourceText(text)
    var (counts, count) = ([Int](), 0)
    for (offset, byte) in source.bytes.enumerated() {
      if offset % Self.stride == 0 { counts.append(count) }
      if Self.beginsScalar(byte) { count += 1 }
    }
    scalarCounts = counts
  }

  private static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }

  /// Returns the error at an offset.
  package func problem(_ message: String, help: String? = nil, at place: TextOffset) -> DocumentProblem {
    DocumentProblem(file: file, diagnostic: source.diagnostic(message, help: help, atByte: byte(of: place)))
  }

  /// Returns the line and column of an offset.
  package func position(of place: TextOffset) -> SourcePosition { source.position(ofByte: byte(of: place)) }

  private func byte(of place: TextOffset) -> Int {
    switch place {
    case .byte(let offset): return min(max(0, offset), source.bytes.count)
    case .scalar(let count):
      var (low, high) = (0, scalarCounts.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if scalarCounts[middle] <= count { low = middle } else { high = middle }
      }
      var (left, offset) = (count - (scalarCounts.first == nil ? 0 : scalarCounts[low]), low * Self.stride)
      while offset < source.bytes.count {
        if Self.beginsScalar(source.bytes[offset]) {
          if left == 0 { break }
          left -= 1
        }
        offset += 1
      }
      return offset
    }
  }
}

/// A problem of a file, with its position.
package struct DocumentProblem: Error, Sendable {
  /// The file's path as the user passed it.
  package var file: String
  /// The position, the message and how to fix the problem.
  package var diagnostic: RulesError.Diagnostic

  /// The problem as text: the position, the line, a caret and help.
  package var rendered: String { diagnostic.rendered(file: file, as: "error") }
}

extension DocumentProblem: CustomStringConvertible {
  package var description: String { rendered }
}
