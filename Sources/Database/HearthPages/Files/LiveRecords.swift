import HearthTree

/// The records in a database's page files that checkpoints refer to, as a bit for each unit of the files in use: two
/// mebibytes for each gibibyte of segments with such records.
package final class LiveRecords {
  private static let unitBytes = PageLocation.alignment

  private let layout: PageFileLayout
  /// The bits of each segment that has such records, by its number.
  private var bits: [Int: [UInt64]] = [:]

  /// Creates the records of no checkpoint.
  package init(in files: PageFiles) { layout = files.layout }

  /// Adds a record.
  ///
  /// - Returns: False when it was added before.
  @discardableResult
  package func insert(_ location: PageLocation) -> Bool {
    let units = units(of: location)
    return Self.insert(units, into: &bits[layout.number(of: location.address), default: emptyWords])
  }

  private var emptyWords: [UInt64] {
    [UInt64](repeating: 0, count: layout.segmentSizeBytes / Self.unitBytes / 64 + 1)
  }

  private static func insert(_ units: Range<Int>, into words: inout [UInt64]) -> Bool {
    guard units.upperBound <= words.count * 64, !contains(units.lowerBound, words) else { return false }
    for unit in units { words[unit / 64] |= 1 << UInt64(unit % 64) }
    return true
  }

  private static func contains(_ unit: Int, _ words: [UInt64]) -> Bool {
    words[unit / 64] >> UInt64(unit % 64) & 1 == 1
  }

  /// True when a record was added.
  package func contains(_ location: PageLocation) -> Bool {
    guard let words = bits[layout.number(of: location.address)] else { return false }
    let units = units(of: location)
    return units.upperBound <= words.count * 64 && Self.contains(units.lowerBound, words)
  }

  private func units(of location: PageLocation) -> Range<Int> {
    let offset = layout.offset(of: location.address)
    return offset / Self.unitBytes..<(offset + location.sizeBytes) / Self.unitBytes
  }

  /// Returns the ranges of a segment's bytes behind its header that no record has.
  func gaps(in number: Int, sizeBytes: Int) -> [Range<Int>] {
    let words = bits[number] ?? []
    var (gaps, start): ([Range<Int>], Int?) = ([], nil)
    for unit in SegmentHeader.sizeBytes / Self.unitBytes..<max(sizeBytes, SegmentHeader.sizeBytes) / Self.unitBytes {
      let isLive = unit / 64 < words.count && Self.contains(unit, words)
      if isLive, let begin = start {
        gaps.append(begin..<unit * Self.unitBytes)
        start = nil
      } else if !isLive, start == nil {
        start = unit * Self.unitBytes
      }
    }
    if let start, start < sizeBytes { gaps.append(start..<sizeBytes) }
    return gaps
  }
}
