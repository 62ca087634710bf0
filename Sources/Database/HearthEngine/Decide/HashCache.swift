import HearthTree

/// The hashes of recently compared values.
///
/// After a network failure all clients listen again at once, with hashes, mostly at the same few locations: each value
/// is hashed once, not once for each client. An entry retains a version of its value, so there are only a few.
struct HashCache {
  private static let entriesMax = 32

  /// The key of a compared value: a path, the query that selects a part of it, and the kind of hash.
  struct Place: Hashable, Sendable {
    var path: Path
    var query: Query?
    var isExact = false

    init(path: Path, query: Query? = nil) { (self.path, self.query) = (path, query) }

    /// Creates the key of a comparison with a caller's hash.
    init(path: Path, of hash: String) { (self.path, isExact) = (path, hash.first == Node.exactHashMark) }
  }

  private struct Entry {
    var node: Node
    var hashes: ValueHashes
  }

  private var entries: [Place: Entry] = [:]
  /// The same keys in the order of insertion.
  private var places: [Place] = []

  /// Returns the cost of hashing a value in bytes: 0 when its hash is cached, nil when it exceeds `bytesMax`, at which
  /// counting ends.
  func hashedBytes(_ node: Node, at place: Place, upTo bytesMax: Int) -> Int? {
    if known(node, at: place) != nil { return 0 }
    return node.hashedBytes(upTo: bytesMax)
  }

  /// Returns true when a comparison takes less time than hashing `sizeBytesMax` bytes of text.
  func isCheap(_ node: Node, at place: Place, sizeBytesMax: Int) -> Bool {
    hashedBytes(node, at: place, upTo: sizeBytesMax) != nil
  }

  /// Returns true when a listener with this hash holds the value at `path`. A hash that clients compute wrongly, or
  /// that two values share, may count as different: then the value is sent once more, which is harmless.
  mutating func isKnown(_ node: Node, at path: Path, query: Query? = nil, hash: String) -> Bool {
    if node.isEmpty || hash.isEmpty { return node.isEmpty && hash.isEmpty }
    let hashes = hashes(of: node, at: Place(path: path, query: query))
    return hashes.texts.first == hash && !hashes.isAmbiguous
  }

  /// Returns the first event of a listener, without the data that the client holds already, or nil when it holds all of
  /// it.
  ///
  /// - Parameters:
  /// - query: The query that selects the data.
  /// - sizeBytesMax: The most bytes to hash; a larger value is sent whole.
  mutating func firstChange(
    for request: ListenRequest, of query: Query?, _ node: Node, sizeBytesMax: Int
  ) -> Event.Change? {
    let place = Place(path: request.path, query: query)
    let isCheap =
      (request.hash.isEmpty && request.compound == nil) || isCheap(node, at: place, sizeBytesMax: sizeBytesMax)
    guard isCheap else { return .put(node) }
    if isKnown(node, at: request.path, query: query, hash: request.hash) { return nil }
    guard let compound = request.compound, !hashes(of: node, at: place).isAmbiguous else { return .put(node) }
    let ranges = node.rangeMerges(against: compound)
    return ranges.isEmpty ? nil : .ranges(ranges)
  }

  /// Returns true when a caller with this hash has seen the value at `path`. Every hash that a client may send for it
  /// counts.
  mutating func accepts(_ node: Node, at path: Path, hash: String) -> Bool {
    if node.isEmpty || hash.isEmpty { return node.isEmpty && hash.isEmpty }
    let place = Place(path: path, of: hash)
    let hashes = hashes(of: node, at: place)
    if hashes.isComplete || hashes.texts.first == hash { return hashes.texts.contains(hash) }
    return keptHashes(of: node, .every, at: place).texts.contains(hash)
  }

  /// Caches the hashes of a value, unless it is a leaf, whose hashes are computed each time.
  mutating func keep(_ hashes: ValueHashes, of node: Node, at place: Place) {
    guard node.isInterior else { return }
    if entries.updateValue(Entry(node: node, hashes: hashes), forKey: place) == nil { places.append(place) }
    if places.count > Self.entriesMax { entries[places.removeFirst()] = nil }
  }

  /// Returns the cached hashes of a value, or computes them.
  private mutating func hashes(of node: Node, at place: Place) -> ValueHashes {
    if let known = known(node, at: place) { return known }
    return keptHashes(of: node, place.isExact ? .exact : .standard, at: place)
  }

  /// Computes hashes, and caches them if all of the value was read.
  private mutating func keptHashes(of node: Node, _ kind: ValueHashes.Scope, at place: Place) -> ValueHashes {
    let (hashes, faults) = FaultScope.run(.install) { ValueHashes(node, kind) }
    if !faults.isIncomplete { keep(hashes, of: node, at: place) }
    return hashes
  }

  private func known(_ node: Node, at place: Place) -> ValueHashes? {
    guard let entry = entries[place], entry.node.isIdentical(to: node) else { return nil }
    return entry.hashes
  }
}

extension Node {
  /// Returns the cost of hashing this value: about 64 bytes a node, and its text; `nil` when it exceeds `bytesMax`.
  func hashedBytes(upTo bytesMax: Int) -> Int? {
    // Each leaf costs at least as much, and their number is known without reading them.
    guard leafCount <= bytesMax / 64 else { return nil }
    var left = bytesMax
    spend(&left)
    return left < 0 ? nil : bytesMax - left
  }

  /// Subtracts the cost of this value from `left`, and stops when nothing is left. The recursion is as deep as the
  /// tree, whose depth is limited.
  private func spend(_ left: inout Int) {
    left -= 64 + (withStringUTF8 { $0.count } ?? 0)
    // Each child costs at least as much, so a wide node is known to exceed the limit without examining its children.
    guard left >= childCount * 64 else {
      left = -1
      return
    }
    for (_, child) in children {
      guard left >= 0 else { return }
      child.spend(&left)
    }
  }
}
