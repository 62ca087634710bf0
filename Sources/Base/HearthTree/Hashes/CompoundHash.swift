/// What a native client says it already holds of a place: a hash for each range of its leaves.
///
/// Hash `i` covers the leaves after post `i-1` up to and including post `i`; the first range has no start and the last no
/// end. There is one more hash than there are posts, and the client's last hash is empty: it holds nothing there.
///
/// Leaves are ordered by their paths, key by key; what is above comes first. The priority of an interior node counts as a
/// leaf with the key `.priority`, sorted among its siblings as that text. The priority of a leaf belongs to the leaf.
public struct CompoundHash: Sendable, Equatable {
  /// Base64 of SHA-1, one for each range; the last is empty.
  public var hashes: [String]
  /// Relative to the place; ascending.
  public var posts: [Path]

  /// A client's word: nothing is checked here.
  public init(hashes: [String], posts: [Path]) {
    self.hashes = hashes
    self.posts = posts
  }

  /// True when the posts divide the leaves into ranges, each with a hash.
  var isWellFormed: Bool {
    hashes.count == posts.count + 1 && zip(posts, posts.dropFirst()).allSatisfy { $0.isBefore($1) }
  }
}

/// One range of a place's leaves, and all that is in it now.
public struct RangeMerge: Sendable {
  /// Relative to the place; the range begins after this. nil: at the beginning.
  public var start: Path?
  /// The range ends with this. nil: at the end.
  public var end: Path?
  /// The place's node with nothing but what is in the range.
  public var node: Node

  /// A range between two places, nil where it is open, and the node with what is in it.
  public init(start: Path?, end: Path?, node: Node) {
    self.start = start
    self.end = end
    self.node = node
  }
}

extension Node {
  /// What a client that holds what `known` says must be told to hold this node; nothing when it does already.
  ///
  /// Neighbouring ranges that differ are one range here, which says the same in less. It is not only thrift: clients lose
  /// priorities at the borders of ranges, so a range that differs also comes together with one that does not where
  /// otherwise that would happen.
  ///
  /// - Parameter known: with posts that do not ascend, or another number of hashes than of ranges, it says nothing, and
  ///   the answer is one range of everything.
  public func rangeMerges(against known: CompoundHash) -> [RangeMerge] {
    guard known.isWellFormed else { return [RangeMerge(start: nil, end: nil, node: self)] }
    let actual = RangeHashes(of: self, posts: known.posts)
    var differs = zip(actual.hashes, known.hashes).map { $0 != $1 }
    actual.complete(&differs)
    var result: [RangeMerge] = []
    var i = 0
    while i < differs.count {
      let first = i
      while i < differs.count, differs[i] { i += 1 }
      if i > first {
        let start = first > 0 ? known.posts[first - 1] : nil
        let end = i <= known.posts.count ? known.posts[i - 1] : nil
        result.append(RangeMerge(start: start, end: end, node: restricted(after: start, through: end)))
      }
      i += 1
    }
    return result
  }

  /// The hashes of the ranges that `posts`, which ascend, divide this node's leaves into: one more than there are posts,
  /// and the empty text where there is nothing.
  func compoundHashes(posts: [Path]) -> [String] { RangeHashes(of: self, posts: posts).hashes }
}

extension Path {
  /// Returns true when this path comes before another in the order of leaves.
  func isBefore(_ other: Path) -> Bool {
    for (a, b) in zip(keys, other.keys) where a != b { return a < b }
    return keys.count < other.keys.count
  }
}
