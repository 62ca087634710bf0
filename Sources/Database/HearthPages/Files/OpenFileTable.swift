/// Files that are open for reading. Beyond the maximum, the one that was used longest ago leaves the table; it is
/// closed when its last reader ends.
struct OpenFileTable {
  /// The name of a file in the table: files are opened once for random and once for sequential reads.
  struct Key: Hashable {
    var number: Int
    var access: SegmentFile.Access
  }

  private struct Entry {
    let file: SegmentFile
    var lastUse: UInt64
  }

  private let countMax: Int
  private var entries: [Key: Entry] = [:]
  private var useCount: UInt64 = 0

  init(countMax: Int) { self.countMax = countMax }

  /// The number of files.
  var count: Int { entries.count }

  /// Returns an open file.
  mutating func file(_ key: Key) -> SegmentFile? {
    useCount &+= 1
    entries[key]?.lastUse = useCount
    return entries[key]?.file
  }

  /// Adds a file.
  mutating func insert(_ file: SegmentFile, _ key: Key) {
    if entries.count >= countMax, entries[key] == nil,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    useCount &+= 1
    entries[key] = Entry(file: file, lastUse: useCount)
  }

  /// Removes the files of a segment.
  mutating func remove(_ number: Int) {
    for access in [SegmentFile.Access.random, .sequential] { entries[Key(number: number, access: access)] = nil }
  }

  /// Removes all files.
  mutating func removeAll() { entries.removeAll() }
}
