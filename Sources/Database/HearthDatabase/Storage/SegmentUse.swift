import HearthPages

/// The live bytes of each segment of a database's page files, as a complete pass over a checkpoint has found them.
struct SegmentUse: Sendable, Equatable {
  /// The segments to clean.
  enum Goal: Sendable, Equatable {
    /// Those with many dead bytes, until few are left.
    case due
    /// All with any dead bytes.
    case all
    /// All with any dead bytes, which are overwritten with zeros.
    case erasing
  }

  /// The part of the files that may be dead before cleaning is due, in percent.
  static let deadPercentMax = 30
  /// The part of the files that is dead when cleaning that was due ends, in percent.
  static let deadPercentEnd = 20
  /// The bytes of records that are stored again before the first segment is removed, as a part of the files.
  private static let roundShare = 8
  private static let roundBytesMin = 16 << 20

  /// The bytes of live records by segment; a segment without any is missing.
  private(set) var liveBytes: [Int: Int] = [:]

  /// The bytes of all live records.
  var totalBytes: Int { liveBytes.values.reduce(0, +) }

  mutating func add(_ sizeBytes: Int, in number: Int) { liveBytes[number, default: 0] += sizeBytes }

  private func deadBytes(of segment: PageFileExtent.Segment) -> Int {
    max(0, segment.recordBytes - (liveBytes[segment.number] ?? 0))
  }

  /// Returns the segments to clean next; empty when the goal is reached.
  ///
  /// - Parameters:
  ///   - segments: The segments that get no more records and may be cleaned.
  ///   - fileBytes: The bytes of all segments.
  func closing(_ segments: [PageFileExtent.Segment], for goal: Goal, fileBytes: Int) -> Set<Int> {
    let deadPercentMin = goal == .due ? 15 : 0
    let dead = segments.reduce(0) { $0 + deadBytes(of: $1) }
    if goal == .due, dead * 100 < fileBytes * Self.deadPercentEnd { return [] }
    let candidates = segments.filter {
      let dead = deadBytes(of: $0)
      return (dead > 0 || $0.recordBytes == 0) && dead * 100 >= $0.recordBytes * deadPercentMin
    }
    // The segments with the least to store again come first.
    let order = candidates.sorted { (liveBytes[$0.number] ?? 0, $0.number) < (liveBytes[$1.number] ?? 0, $1.number) }
    var (closing, roundBytes) = (Set<Int>(), max(Self.roundBytesMin, fileBytes / Self.roundShare))
    for segment in order {
      let live = liveBytes[segment.number] ?? 0
      guard closing.isEmpty || live <= roundBytes else { break }
      closing.insert(segment.number)
      roundBytes -= live
    }
    return closing
  }
}
