import HearthTree

/// A client's listens with a query: the query objects as the client sent them, which the end of such a listen repeats.
struct SessionQueries {
  /// The maximum bytes of the requests of all these listens. A bound may be longer than a key can be, but ten thousand
  /// listens of 400 bytes each are more than any app has.
  static let sizeBytesMax = 4 << 20

  private struct Name: Hashable {
    var path: Path
    var query: Query
  }

  private struct Entry {
    var name: Name
    var sent: JSON
    var sizeBytes: Int
  }

  private var entries: [Int32: Entry] = [:]
  private var tags: [Name: Int32] = [:]
  private(set) var sizeBytes = 0

  var count: Int { entries.count }

  /// Adds a listen. The same path and query under another tag is replaced.
  ///
  /// - Returns: false when there is no room for it.
  mutating func insert(_ tag: Int32, _ path: Path, _ query: Query, sent: JSON, sizeBytes: Int) -> Bool {
    let name = Name(path: path, query: query)
    remove(tag)
    if let last = tags[name] { remove(last) }
    guard sizeBytes <= Self.sizeBytesMax - self.sizeBytes else { return false }
    entries[tag] = Entry(name: name, sent: sent, sizeBytes: sizeBytes)
    tags[name] = tag
    self.sizeBytes += sizeBytes
    return true
  }

  func tag(of path: Path, _ query: Query) -> Int32? { tags[Name(path: path, query: query)] }

  /// Returns the query object of a listen, if it is one at the given path.
  func sent(_ tag: Int32, at path: Path) -> JSON? {
    entries[tag].flatMap { $0.name.path == path ? $0.sent : nil }
  }

  /// Removes a listen, if it is one at the given path.
  ///
  /// - Returns: its query object.
  @discardableResult
  mutating func remove(_ tag: Int32, at path: Path) -> JSON? {
    guard entries[tag]?.name.path == path else { return nil }
    return remove(tag)
  }

  @discardableResult
  private mutating func remove(_ tag: Int32) -> JSON? {
    guard let entry = entries.removeValue(forKey: tag) else { return nil }
    tags[entry.name] = nil
    sizeBytes -= entry.sizeBytes
    return entry.sent
  }
}
