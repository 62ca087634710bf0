import HearthTree

/// The hashes of the places that were last compared.
///
/// After a network failure everybody listens again at once, with hashes, mostly to the same few places: each is hashed
/// once and not once for everybody. An entry keeps a version of its place alive, so there are only a few.
struct HashCache {
  private static let entriesMax = 32

  /// What was compared: everything at a path, or what of it a query asks for, by which hash.
  private struct Place: Hashable {
    var path: Path
    var query: Query?
    var isExact = false
  }

  private struct Entry {
    var node: Node
    var hash: String
    /// Another value may have the same hash: an integer was hashed as the double to which it rounds.
    var isAmbiguous: Bool
  }

  private var hashes: [Place: Entry] = [:]
  /// The same places, in the order in which they came.
  private var places: [Place] = []

  /// Whether comparing what is at `path` takes less time than hashing that many bytes of text does.
  func isCheap(_ node: Node, at path: Path, query: Query? = nil, sizeBytesMax: Int) -> Bool {
    for isExact in [false, true] {
      let known = hashes[Place(path: path, query: query, isExact: isExact)]
      if let known, known.node.isIdentical(to: node) { return true }
    }
    var left = sizeBytesMax
    node.spend(&left)
    return left >= 0
  }

  /// Whether a listener that sent this hash holds what is at `path`. Hashes that clients get wrong, and those that two
  /// values have, may count as another value: then the value is sent once more, which does no harm.
  mutating func isKnown(_ node: Node, at path: Path, query: Query? = nil, hash: String) -> Bool {
    if node.isEmpty || hash.isEmpty { return node.isEmpty && hash.isEmpty }
    let entry = entry(of: node, at: Place(path: path, query: query))
    return entry.hash == hash && !entry.isAmbiguous
  }

  /// What a listener is told when it begins, as far as it does not hold it already; nil when it holds all of it.
  ///
  /// - Parameter sizeBytesMax: what would take longer to compare than hashing so many bytes is told as a whole.
  mutating func firstChange(for request: ListenRequest, _ node: Node, sizeBytesMax: Int) -> Event.Change? {
    let isCheap =
      (request.hash.isEmpty && request.compound == nil)
      || self.isCheap(node, at: request.path, query: request.query, sizeBytesMax: sizeBytesMax)
    guard isCheap else { return .put(node) }
    if isKnown(node, at: request.path, query: request.query, hash: request.hash) { return nil }
    guard let compound = request.compound, !isAmbiguous(node, request) else { return .put(node) }
    let ranges = node.rangeMerges(against: compound)
    return ranges.isEmpty ? nil : .ranges(ranges)
  }

  /// Whether a caller that sent this hash has seen what is at `path`. Every hash that a client may send for it counts.
  mutating func accepts(_ node: Node, at path: Path, hash: String) -> Bool {
    if node.isEmpty || hash.isEmpty { return node.isEmpty && hash.isEmpty }
    if hash.first == Node.exactHashMark {
      return entry(of: node, at: Place(path: path, isExact: true)).hash == hash.dropFirst()
    }
    return entry(of: node, at: Place(path: path)).hash == hash || node.accepts(hash: hash)
  }

  private mutating func isAmbiguous(_ node: Node, _ request: ListenRequest) -> Bool {
    !node.isEmpty && entry(of: node, at: Place(path: request.path, query: request.query)).isAmbiguous
  }

  private mutating func entry(of node: Node, at place: Place) -> Entry {
    if let known = hashes[place], known.node.isIdentical(to: node) { return known }
    let (hash, isAmbiguous) = place.isExact ? (node.exactHash(), false) : node.simpleHashAndDoubt()
    let entry = Entry(node: node, hash: hash, isAmbiguous: isAmbiguous)
    guard node.isInterior else { return entry }
    if hashes.updateValue(entry, forKey: place) == nil { places.append(place) }
    if places.count > Self.entriesMax { hashes[places.removeFirst()] = nil }
    return entry
  }
}

extension Node {
  /// Takes off what hashing costs: about 64 bytes a node, and its text. Stops when nothing is left. The recursion goes
  /// as deep as the tree, whose depth is limited.
  fileprivate func spend(_ left: inout Int) {
    left -= 64 + (withStringUTF8 { $0.count } ?? 0)
    for (_, child) in children {
      guard left >= 0 else { return }
      child.spend(&left)
    }
  }
}
