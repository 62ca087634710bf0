import HearthTree

/// All data and variables that a decision read: while none of these changes, the decision stays the same.
///
/// Rules read only single nodes (existence, leaf value, priority, existence of children), never the content of a
/// subtree. So a data dependency is a path and the aspects of the node there that were read.
public struct ReadDependencies: Sendable, Equatable {
  /// The aspects of a node that were read.
  public struct Aspects: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The existence of the node.
    public static let existence = Aspects(rawValue: 1)
    /// The node's kind (empty, interior or leaf) and the leaf's value.
    public static let value = Aspects(rawValue: 2)
    /// The node's priority.
    public static let priority = Aspects(rawValue: 4)
    /// The existence of children.
    public static let children = Aspects(rawValue: 8)
    /// Everything at and below the node.
    public static let everything = Aspects(rawValue: 16)

    /// Returns true when `old` and `new` differ in one of these aspects. For ``everything``, it may also return true
    /// when they are equal, because storage is compared instead of values.
    public func differ(_ old: Node, _ new: Node) -> Bool {
      if contains(.everything), !old.isIdentical(to: new) { return true }
      if contains(.existence), old.isEmpty != new.isEmpty { return true }
      if contains(.children), old.isInterior != new.isInterior { return true }
      if contains(.priority), old.priority != new.priority { return true }
      guard contains(.value) else { return false }
      return old.isInterior != new.isInterior || old.scalar != new.scalar
    }
  }

  /// The absolute paths that were read in the database before the write (for a read: in the current database), with
  /// their aspects.
  public internal(set) var data: [Path: Aspects] = [:]
  /// True when `auth` or something below it was read.
  public internal(set) var usesAuth = false
  /// True when `now` was read: the decision may change with time.
  public internal(set) var usesClock = false

  /// The maximum number of paths. When there are more, the longest paths are replaced by their ancestors with
  /// ``Aspects/everything``.
  private let countMax: Int
  private var depthMax = Int.max

  /// Creates empty dependencies without a limit on the number of paths.
  public init() { self.init(countMax: .max) }

  init(countMax: Int) { self.countMax = countMax }

  /// Returns true when data that was read differs between `oldRoot` and `newRoot`.
  public func isAffected(from oldRoot: Node, to newRoot: Node) -> Bool {
    data.contains { path, aspects in aspects.differ(oldRoot[path], newRoot[path]) }
  }

  mutating func read(_ path: Path, _ aspects: Aspects) {
    if path.count > depthMax {
      data[path.prefix(depthMax), default: []].formUnion(.everything)
    } else {
      data[path, default: []].formUnion(aspects)
    }
    while data.count > countMax { shorten() }
  }

  private mutating func shorten() {
    depthMax = max(1, data.keys.reduce(0) { max($0, $1.count) }) - 1
    for path in data.keys where path.count > depthMax {
      data[path] = nil
      data[path.prefix(depthMax), default: []].formUnion(.everything)
    }
  }

  /// Adds the dependencies of another decision.
  public mutating func formUnion(_ other: ReadDependencies) {
    for (path, aspects) in other.data { read(path, aspects) }
    usesAuth = usesAuth || other.usesAuth
    usesClock = usesClock || other.usesClock
  }
}
