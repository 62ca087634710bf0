import HearthTree

/// An index of writes by path, which finds those that overlap a path without visiting the others.
struct WriteIndex: Sendable {
  /// The writes at exactly this path, by ascending ID; a write that has two locations at this path occurs twice.
  private var ids: [Int] = []
  private var children: [Key: WriteIndex] = [:]

  var isEmpty: Bool { ids.isEmpty && children.isEmpty }

  private static let priorityKey: Key = ".priority"

  private static func keys(_ location: Location) -> [Key] {
    location.isPriority ? location.path.keys + [priorityKey] : location.path.keys
  }

  mutating func insert(_ id: Int, at location: Location) {
    modify(Self.keys(location)[...]) { ids in
      // The insertion is almost always at the end.
      let index = ids.lastIndex { $0 <= id }.map { $0 + 1 } ?? 0
      ids.insert(id, at: index)
    }
  }

  mutating func remove(_ id: Int, at location: Location) {
    modify(Self.keys(location)[...]) { ids in
      if let index = ids.firstIndex(of: id) { ids.remove(at: index) }
    }
  }

  private mutating func modify(_ keys: ArraySlice<Key>, _ change: (inout [Int]) -> Void) {
    guard let key = keys.first else { return change(&ids) }
    children[key, default: WriteIndex()].modify(keys.dropFirst(), change)
    if children[key]?.isEmpty == true { children[key] = nil }
  }

  /// Returns true when a write with a higher id replaces the whole value at a location.
  func isCovered(_ location: Location, after id: Int) -> Bool {
    var node = self
    for key in Self.keys(location) {
      if let last = node.ids.last, last > id { return true }
      guard let child = node.children[key] else { return false }
      node = child
    }
    return node.ids.last.map { $0 > id } ?? false
  }

  /// Returns true when any write is above a location.
  func isBelowAnother(_ location: Location) -> Bool {
    var node = self
    for key in Self.keys(location) {
      if !node.ids.isEmpty { return true }
      guard let child = node.children[key] else { return false }
      node = child
    }
    return false
  }

  /// Returns true when any write is at a location, above it or below it.
  func overlaps(_ location: Location) -> Bool {
    var node = self
    for key in Self.keys(location) {
      if !node.ids.isEmpty { return true }
      guard let child = node.children[key] else { return false }
      node = child
    }
    return !node.isEmpty
  }

  /// Returns the writes at a path, above it and below it, each once, by descending id. The sequence is lazy.
  func overlapping(_ path: Path) -> Descending {
    var rows: [[Int]] = []
    var node = self
    for key in path.keys {
      if !node.ids.isEmpty { rows.append(node.ids) }
      guard let child = node.children[key] else { return Descending(rows) }
      node = child
    }
    node.collect(&rows)
    return Descending(rows)
  }

  private func collect(_ rows: inout [[Int]]) {
    if !ids.isEmpty { rows.append(ids) }
    for child in children.values { child.collect(&rows) }
  }

  /// The ids of several ascending rows, each once, in descending order.
  struct Descending: Sequence, IteratorProtocol {
    private var rows: [ArraySlice<Int>]
    private var last: Int?
    /// The most rows of which each is searched for the next ID; more rows are merged by sorting first.
    private static let rowsMax = 8

    fileprivate init(_ rows: [[Int]]) {
      self.rows = rows.count <= Self.rowsMax ? rows.map { $0[...] } : [rows.joined().sorted()[...]]
    }

    mutating func next() -> Int? {
      while let highest = rows.indices.max(by: { rows[$0].last ?? .min < rows[$1].last ?? .min }),
        let id = rows[highest].popLast()
      {
        if id == last { continue }
        last = id
        return id
      }
      return nil
    }
  }
}
