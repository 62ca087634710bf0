/// The mapping from positions in a rules file to the file from which it was generated.
final class OriginText: Sendable {
  let origin: RulesOrigin
  private let text: SourceText

  init(_ origin: RulesOrigin) {
    self.origin = origin
    text = SourceText(origin.text)
  }

  /// Returns the position from which a byte of the rules file was generated; for a byte before all segments, the
  /// beginning of the text.
  func position(ofByte offset: Int) -> SourcePosition {
    guard let segment = segment(at: offset) else { return SourcePosition(line: 1, column: 1, file: origin.file) }
    return SourcePosition(line: segment.line, column: segment.column, file: origin.file)
  }

  /// Returns the begin and end positions from which bytes of the rules file were generated; a span from several
  /// segments has an end equal to its start.
  func span(ofBytes range: Range<Int>) -> (start: SourcePosition, end: SourcePosition) {
    let start = position(ofByte: range.lowerBound)
    guard let first = index(at: range.lowerBound), let last = index(at: range.upperBound - 1), first <= last else {
      return (start, start)
    }
    let end = Self.end(origin.segments[last])
    for part in origin.segments[first...last] {
      guard (start.line, start.column) <= (part.line, part.column), Self.end(part) <= end else { return (start, start) }
    }
    return (start, SourcePosition(line: end.0, column: end.1, file: origin.file))
  }

  /// Returns the line and column of a segment's end.
  private static func end(_ segment: RulesOrigin.Segment) -> (Int, Int) {
    (segment.line, segment.column + segment.width)
  }

  /// Returns the line of the text from which a byte of the rules file was generated.
  func line(ofByte offset: Int) -> String { text.line(segment(at: offset)?.line ?? 1) }

  private func segment(at offset: Int) -> RulesOrigin.Segment? { index(at: offset).map { origin.segments[$0] } }

  private func index(at offset: Int) -> Int? {
    let segments = origin.segments
    var (low, high) = (0, segments.count)
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
