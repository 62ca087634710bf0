import HearthTree

/// The hashes of the places that were last compared.
///
/// After a network failure all clients listen again at once, with hashes, mostly to the same few places: each is hashed
/// once and not once for each client. An entry keeps a version of its place alive, so there are only a few.
struct HashCache {
  private static let entriesMax = 32

  /// What was compared: everything at a path, or what of it a query asks for, by which hash.
  struct Place: Hashable, Sendable {
    var path: Path
    var query: Query?
    var isExact = false

    init(path: Path, query: Query? = nil) { (self.path, self.query) = (path, query) }

    /// Where a caller's hash is compared.
    init(path: Path, of hash: String) { (self.path, isExact) = (path, hash.first == Node.exactHashMark) }
  }

  private struct Entry {
    var node: Node
    /// The protocol's hash first, then those of clients that compute it otherwise when ``isComplete``. Of an exact place, the
    /// exact hash behind its mark.
    var hashes: [String]
    var isComplete: Bool
    /// Another value may have the first hash: an integer was hashed as the double to which it rounds.
    var isAmbiguous: Bool
  }

  private var entries: [Place: Entry] = [:]
  /// The same places, in the order in which they came.
  private var places: [Place] = []

  /// The bytes that hashing what is at a place takes as long as; 0 when its hash is known, nil when they are more than
  /// `bytesMax`. Counting ends there.
  func hashedBytes(_ node: Node, at place: Place, upTo bytesMax: Int) -> Int? {
    if entry(of: node, at: place) != nil { return 0 }
    return node.hashedBytes(upTo: bytesMax)
  }

  /// Whether comparing what is at a place takes less time than hashing that many bytes of text does.
  func isCheap(_ node: Node, at place: Place, sizeBytesMax: Int) -> Bool {
    hashedBytes(node, at: place, upTo: sizeBytesMax) != nil
  }

  /// Whether a listener that sent this hash holds what is at `path`. Hashes that clients get wrong, and those that two
  /// values have, may count as another value: then the value is sent once more, which does no harm.
  mutating func isKnown(_ node: Node, at path: Path, query: Query? = nil, hash: String) -> Bool {
    if node.isEmpty || hash.isEmpty { return node.isEmpty && hash.isEmpty }
    let place = Place(path: path, query: query)
    if let known = entry(of: node, at: place) { return known.hashes.first == hash && !known.isAmbiguous }
    let (standard, isAmbiguous) = node.simpleHashAndDoubt()
    if node.isInterior {
      keep(Entry(node: node, hashes: [standard], isComplete: false, isAmbiguous: isAmbiguous), at: place)
    }
    return standard == hash && !isAmbiguous
  }

  /// What a listener is told when it begins, as far as it does not hold it already; nil when it holds all of it.
  ///
  /// - Parameters:
  ///   - query: What of the place is shown.
  ///   - sizeBytesMax: what would take longer to compare than hashing so many bytes is told as a whole.
  mutating func firstChange(
    for request: ListenRequest, of query: Query?, _ node: Node, sizeBytesMax: Int
  ) -> Event.Change? {
    let isCheap =
      (request.hash.isEmpty && request.compound == nil)
      || self.isCheap(node, at: Place(path: request.path, query: query), sizeBytesMax: sizeBytesMax)
    guard isCheap else { return .put(node) }
    if isKnown(node, at: request.path, query: query, hash: request.hash) { return nil }
    let isAmbiguous = entry(of: node, at: Place(path: request.path, query: query))?.isAmbiguous ?? false
    guard let compound = request.compound, !isAmbiguous else { return .put(node) }
    let ranges = node.rangeMerges(against: compound)
    return ranges.isEmpty ? nil : .ranges(ranges)
  }

  /// Whether a caller that sent this hash has seen what is at `path`. Every hash that a client may send for it counts.
  mutating func accepts(_ node: Node, at path: Path, hash: String) -> Bool {
    if node.isEmpty || hash.isEmpty { return node.isEmpty && hash.isEmpty }
    let place = Place(path: path, of: hash)
    if place.isExact {
      if let known = entry(of: node, at: place) { return known.hashes.contains(hash) }
      let exact = String(Node.exactHashMark) + node.exactHash()
      if node.isInterior { keep([exact], isComplete: true, of: node, at: place) }
      return exact == hash
    }
    if isKnown(node, at: path, hash: hash) { return true }
    guard let known = entry(of: node, at: place) else { return node.accepts(hash: hash) }
    if known.isComplete { return known.hashes.contains(hash) }
    let hashes = node.simpleHashes()
    entries[place] = Entry(node: node, hashes: hashes, isComplete: true, isAmbiguous: known.isAmbiguous)
    return hashes.contains(hash)
  }

  /// Takes in hashes that were computed elsewhere.
  mutating func keep(
    _ hashes: [String], isComplete: Bool, isAmbiguous: Bool = false, of node: Node, at place: Place
  ) {
    keep(Entry(node: node, hashes: hashes, isComplete: isComplete, isAmbiguous: isAmbiguous), at: place)
  }

  private func entry(of node: Node, at place: Place) -> Entry? {
    guard let known = entries[place], known.node.isIdentical(to: node) else { return nil }
    return known
  }

  private mutating func keep(_ entry: Entry, at place: Place) {
    if entries.updateValue(entry, forKey: place) == nil { places.append(place) }
    if places.count > Self.entriesMax { entries[places.removeFirst()] = nil }
  }
}

extension Node {
  /// What hashing this value costs: about 64 bytes a node, and its text. nil when that is more than `bytesMax`.
  func hashedBytes(upTo bytesMax: Int) -> Int? {
    var left = bytesMax
    spend(&left)
    return left < 0 ? nil : bytesMax - left
  }

  /// Stops when nothing is left. The recursion goes as deep as the tree, whose depth is limited.
  private func spend(_ left: inout Int) {
    left -= 64 + (withStringUTF8 { $0.count } ?? 0)
    // Each child takes as much at least: of a wide node that is known without a look at its children.
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
