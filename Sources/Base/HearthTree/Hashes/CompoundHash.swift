/// A native client's hashes of its data at a location: one for each range of its leaves.
///
/// Posts are the paths that separate the ranges. Hash `i` covers the leaves after post `i-1` up to and including post
/// `i`; the first range has no start and the last no end. There is one more hash than there are posts, and the client's
/// last hash is empty, because the client has no data after its last post.
///
/// Leaves are ordered by their paths, key by key; ancestors come first. The priority of an interior node counts as a
/// leaf with the key `.priority`, sorted among its siblings as that text. The priority of a leaf belongs to the leaf.
public struct CompoundHash: Sendable, Equatable {
  /// The hashes, in Base64 of SHA-1, one for each range; the last is empty.
  public var hashes: [String]
  /// The paths that separate the ranges, relative to the location, in ascending order.
  public var posts: [Path]

  /// Creates the hash that a client sent, without checking it.
  public init(hashes: [String], posts: [Path]) {
    self.hashes = hashes
    self.posts = posts
  }

  /// True when the posts divide the leaves into ranges, each with a hash.
  var isWellFormed: Bool {
    hashes.count == posts.count + 1 && zip(posts, posts.dropFirst()).allSatisfy { $0.isBefore($1) }
  }
}

/// A range of a location's leaves, with its current content.
public struct RangeMerge: Sendable {
  /// The leaf after which the range begins, relative to the location; nil for the beginning.
  public var start: Path?
  /// The last leaf of the range; nil for the end.
  public var end: Path?
  /// The location's node with the content of the range alone.
  public var node: Node

  /// Creates a range between two leaves, nil where it is open, with its content.
  public init(start: Path?, end: Path?, node: Node) {
    self.start = start
    self.end = end
    self.node = node
  }
}

extension Node {
  /// Returns the ranges to send to a client with the data of `known`, so that it then has this node; empty when the
  /// client has it already.
  ///
  /// Adjacent ranges that differ are merged into one range. This is shorter, and it is necessary because clients lose
  /// priorities at the boundaries of ranges; for the same reason a range that differs may be merged with one that does
  /// not.
  ///
  /// - Parameter known: The client's hashes. When its posts are not in ascending order, or the number of hashes is
  ///   wrong, the result is one range with all data.
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

  /// Returns the hashes of the ranges into which `posts`, in ascending order, divide this node's leaves: one more than
  /// there are posts, with an empty text for an empty range.
  func compoundHashes(posts: [Path]) -> [String] { RangeHashes(of: self, posts: posts).hashes }
}

extension Path {
  /// Returns true when this path comes before another in the order of leaves.
  func isBefore(_ other: Path) -> Bool {
    for (a, b) in zip(keys, other.keys) where a != b { return a < b }
    return keys.count < other.keys.count
  }
}
