import HearthTree

/// All that a decision read: while none of it changes, deciding again gives the same answer.
///
/// Rules look at single nodes only (does it exist, what is its leaf value, its priority, has it children), never at
/// a subtree's content. So a data dependency is a path and the aspects of the node there that were looked at.
public struct ReadDependencies: Sendable, Equatable {
  /// What of a node was looked at.
  public struct Aspects: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Whether the node is empty.
    public static let existence = Aspects(rawValue: 1)
    /// Whether it is empty, an interior node or a leaf, and the leaf's value.
    public static let value = Aspects(rawValue: 2)
    public static let priority = Aspects(rawValue: 4)
    /// Whether it has children.
    public static let children = Aspects(rawValue: 8)

    /// True when a node that turned from `old` into `new` differs in one of these aspects.
    public func differ(_ old: Node, _ new: Node) -> Bool {
      if contains(.existence), old.isEmpty != new.isEmpty { return true }
      if contains(.children), old.isInterior != new.isInterior { return true }
      if contains(.priority), old.priority != new.priority { return true }
      guard contains(.value) else { return false }
      return old.isInterior != new.isInterior || old.scalar != new.scalar
    }
  }

  /// Absolute paths in the database as it was before the write (for a read: as it is).
  public internal(set) var data: [Path: Aspects] = [:]
  /// `auth` or something below it was read.
  public internal(set) var usesAuth = false
  /// `now` was read: the answer may change with nothing but time.
  public internal(set) var usesClock = false

  public init() {}

  /// True when a commit that turned `oldRoot` into `newRoot` changed something of the data that was read.
  public func isAffected(from oldRoot: Node, to newRoot: Node) -> Bool {
    data.contains { path, aspects in aspects.differ(oldRoot[path], newRoot[path]) }
  }

  mutating func read(_ path: Path, _ aspects: Aspects) {
    data[path, default: []].formUnion(aspects)
  }
}
