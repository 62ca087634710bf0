import HearthTree

/// The file in another language from which a rules file was generated, with the source position of each part of the
/// rules file.
///
/// It is a comment in the last line of the rules file, so that it is kept when rules are stored, deployed, staged or
/// restored, and positions in the rules are reported as positions in the file that the author wrote.
///
/// ```
/// {"rules":{".read":"auth != null"}}
/// //# hearth.origin={"file":"app.bolt","language":"bolt 1.0.0","bytes":35,"map":[18,2,12,12],"text":"path / {\n  …"}
/// ```
///
/// `bytes` is the length of the text before the line: when the file was edited afterwards, the origin is ignored. `map`
/// has four numbers for each segment: the distance of its first byte from that of the previous segment; the line and
/// the column, counted from 1, the column in UTF-16 units; and the number of units of the line from which it was
/// generated. A segment extends to the next one.
package struct RulesOrigin: Sendable, Equatable {
  /// A part of the rules file, which extends to the next segment.
  package struct Segment: Sendable, Equatable {
    /// The byte of the rules file at which it begins.
    package var offset: Int
    /// The line, from 1.
    package var line: Int
    /// The column, from 1, in UTF-16 units.
    package var column: Int
    /// The width, in UTF-16 units of the line.
    package var width: Int

    /// Creates a segment at a byte, generated from a position.
    package init(offset: Int, line: Int, column: Int, width: Int) {
      (self.offset, self.line, self.column, self.width) = (offset, line, column, width)
    }
  }

  /// The file's name, without its folder.
  package let file: String
  /// The generator, with its version: `bolt 1.0.0`.
  package let language: String
  /// The content of the file.
  package let text: String
  /// The segments, in order.
  package let segments: [Segment]

  /// Creates the origin of a rules file; nil when a segment is outside of one of the two texts, or when two segments
  /// begin at the same byte.
  ///
  /// - Parameters:
  /// - segments: The segments of `rules`, in any order.
  /// - rules: The rules file, without an origin.
  package init?(file: String, language: String, text: String, segments: [Segment], of rules: String) {
    let segments = segments.sorted { $0.offset < $1.offset }
    guard Self.isRight(segments, text: text, byteCount: rules.utf8.count) else { return nil }
    (self.file, self.language) = (Self.word(file), Self.word(language))
    (self.text, self.segments) = (text, segments)
  }

  private static func word(_ text: String) -> String { PlainExplanation.of(String(text.prefix(100))) }

  private static func isRight(_ segments: [Segment], text: String, byteCount: Int) -> Bool {
    let widths = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(Substring(line)).utf16.count
    }
    var last = -1
    for segment in segments {
      guard segment.offset > last, segment.offset < byteCount, segment.line > 0,
        widths.indices.contains(segment.line - 1),
        (1...widths[segment.line - 1] + 1).contains(segment.column),
        (0...widths[segment.line - 1] + 1 - segment.column).contains(segment.width)
      else { return false }
      last = segment.offset
    }
    return true
  }
}

// MARK: As a comment

extension RulesOrigin {
  private static let mark = "//# hearth.origin="

  /// Returns the rules file with the origin as its last line.
  package func appended(to rules: String) -> String {
    var last = 0
    var numbers: [JSON] = []
    for segment in segments {
      numbers += [segment.offset - last, segment.line, segment.column, segment.width].map { .int(Int64($0)) }
      last = segment.offset
    }
    let before = rules.hasSuffix("\n") ? rules : rules + "\n"
    let comment: JSON = [
      "file": .string(file), "language": .string(language), "bytes": .int(Int64(before.utf8.count)),
      "map": .array(numbers), "text": .string(text),
    ]
    return before + Self.mark + String(decoding: comment.text(), as: UTF8.self) + "\n"
  }

  /// Reads the origin of a rules file; nil for a file that was not generated.
  package init?(endOf rules: String) {
    let bytes = rules.utf8
    guard bytes.count <= RulesLimits.fileBytesMax else { return nil }
    let trailing = bytes.reversed().prefix { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let end = bytes.index(bytes.endIndex, offsetBy: -trailing.count)
    let start = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")).map { bytes.index(after: $0) } ?? bytes.startIndex
    let line = bytes[start..<end]
    guard line.starts(with: Self.mark.utf8), let json = JSON(parsing: line.dropFirst(Self.mark.utf8.count)),
      json["bytes"]?.int == Int64(bytes.distance(from: bytes.startIndex, to: start)),
      let file = json["file"]?.string, let language = json["language"]?.string, let text = json["text"]?.string,
      let segments = json["map"]?.array.flatMap(Self.segments)
    else { return nil }
    self.init(file: file, language: language, text: text, segments: segments, of: String(rules[..<start]))
  }

  private static func segments(_ numbers: [JSON]) -> [Segment]? {
    // Every number counts bytes or units of a file, so larger ones are invalid; their sums could overflow.
    let values = numbers.compactMap(\.int).filter { (0...Int64(RulesLimits.fileBytesMax)).contains($0) }.map { Int($0) }
    guard values.count == numbers.count, values.count % 4 == 0 else { return nil }
    var last = 0
    return stride(from: 0, to: values.count, by: 4).map { index in
      last += values[index]
      return Segment(offset: last, line: values[index + 1], column: values[index + 2], width: values[index + 3])
    }
  }
}
