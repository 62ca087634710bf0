import HearthRules

/// The text of a hand-written file, with its name in messages.
package struct DocumentText: Sendable {
  /// The file as the user named it.
  package let file: String
  /// The whole text.
  package let text: String
  private let source: SourceText
  /// Unicode scalars before every 256th byte: each case of a test file may need its position.
  private let scalarCounts: [Int]
  private static let stride = 256

  /// Makes the text of a file.
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

  /// The error at a place.
  package func problem(_ message: String, help: String? = nil, at place: TextOffset) -> DocumentProblem {
    DocumentProblem(file: file, diagnostic: source.diagnostic(message, help: help, atByte: byte(of: place)))
  }

  /// The line and column of a place.
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
  /// The file as the user named it.
  package var file: String
  /// The position, the fault and the remedy.
  package var diagnostic: RulesError.Diagnostic

  /// The position, the line, a caret and help.
  package var rendered: String { diagnostic.rendered(file: file, as: "error") }
}

extension DocumentProblem: CustomStringConvertible {
  package var description: String { rendered }
}
