import HearthEngine
import HearthJournal
import HearthTree

/// The history of one location.
extension DatabaseHistory {
  /// Returns the commits that changed a location, the newest first, one page at a time.
  ///
  /// The log is read in segments between two retained snapshots or checkpoints, the newest segment first, until the page is full.
  ///
  /// - Parameters:
  /// - position: The position before which commits are returned; nil begins with the last.
  /// - countMax: The most changes to return, from 1 to ``HistoryLimits/changesMax``.
  /// - isLate: Polled between two snapshots; true ends the page with the changes found so far.
  /// - isCancelled: Polled regularly; true cancels the call.
  /// - Throws: ``HistoryError``.
  public func changes(
    of path: Path, before position: Int64? = nil, countMax: Int, isLate: () -> Bool = { false },
    isCancelled: () -> Bool = { false }
  ) throws(HistoryError) -> HistoryPage {
    try mapping {
      let oldest = try journal.oldestPosition()
      var page = HistoryPage(oldestPosition: oldest)
      var budget = PageBudget(count: min(max(1, countMax), HistoryLimits.changesMax), bytes: limits.pageBytesMax)
      var end = min(lastPosition, (position ?? .max) - 1)
      var starts = try journal.historyStarts().map(\.position)
      if oldest == 0 { starts.insert(0, at: 0) }
      var isFirst = true
      for start in starts.reversed() where start < end {
        if !isFirst, isLate() {
          page.before = end + 1
          break
        }
        isFirst = false
        let found = try changes(of: path, after: start, through: end, &budget, isCancelled)
        page.changes += found.changes
        if let before = found.before {
          page.before = before
          break
        }
        end = start
      }
      return page
    }
  }

  /// The remaining room on a page.
  private struct PageBudget {
    var count: Int
    var bytes: Int
  }

  /// Returns the last changes between two positions, the newest first.
  ///
  /// - Returns: The changes, and the position before which further ones lie; nil when there are none.
  private func changes(
    of path: Path, after start: Int64, through end: Int64, _ budget: inout PageBudget, _ isCancelled: () -> Bool
  ) throws -> (changes: [HistoryChange], before: Int64?) {
    let scan = RecordScan(of: path)
    var isTouched = false
    try forEachRecord(after: start, through: end, scan, isCancelled) { _, record in
      isTouched = isTouched || record.parts.contains { !$0.changes.isEmpty }
    }
    // Without a change the value at the beginning is not needed.
    guard isTouched else { return ([], nil) }
    var node = try state(at: start, of: path, isCancelled: isCancelled).node
    var (last, isMore) = (LastChanges(countMax: budget.count, bytesMax: budget.bytes), false)
    try forEachRecord(after: start, through: end, scan, isCancelled) { position, record in
      let parts = record.parts.filter { !$0.changes.isEmpty }
      guard !parts.isEmpty else { return }
      let next = parts.reduce(node) { scan.apply($1.changes, to: $0) }
      if !next.isIdentical(to: node), next != node {
        let change = HistoryChange(
          position: position, wallMilliseconds: record.wallMilliseconds,
          author: parts.lazy.compactMap(\.author).first, grant: CommitGrant(joining: parts.compactMap(\.grant)),
          from: node, to: next)
        if last.add(change) { isMore = true }
      }
      node = next
    }
    let changes = last.changes
    (budget.count, budget.bytes) = (budget.count - changes.count, budget.bytes - last.sizeBytes)
    let isFull = budget.count <= 0 || budget.bytes <= 0
    // When the page is full exactly here, older changes may lie before the segment.
    let before = isMore || isFull ? changes.first?.position ?? end + 1 : nil
    return (changes.reversed(), before)
  }
}

extension CommitRecord {
  /// The locations that the record replaces, with their new values.
  fileprivate var changes: [(location: Location, node: Node)] {
    if case .changes(let changes) = content { changes } else { [] }
  }
}

/// The newest of the added changes, as many as a page has room for; at least one.
private struct LastChanges {
  let countMax: Int
  let bytesMax: Int
  private var found: [(change: HistoryChange, sizeBytes: Int)] = []
  /// The index of the first change in `found` that counts.
  private var first = 0
  private(set) var sizeBytes = 0

  init(countMax: Int, bytesMax: Int) { (self.countMax, self.bytesMax) = (countMax, bytesMax) }

  /// The changes in the order of their positions.
  var changes: [HistoryChange] { found[first...].map { $0.change } }

  /// - Returns: True when older changes were dropped.
  mutating func add(_ change: HistoryChange) -> Bool {
    let size = change.from.heldBytes(upTo: bytesMax) + change.to.heldBytes(upTo: bytesMax)
    found.append((change, size))
    sizeBytes += size
    var hasDropped = false
    while found.count - first > 1, found.count - first > countMax || sizeBytes > bytesMax {
      sizeBytes -= found[first].sizeBytes
      first += 1
      hasDropped = true
    }
    if first > 1_024 {
      found.removeSubrange(..<first)
      first = 0
    }
    return hasDropped
  }
}
