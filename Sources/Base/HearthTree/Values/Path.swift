/// A place in the tree: the keys from the root down. The empty path is the root.
public struct Path: Sendable, Hashable {
  /// From the root down; empty for the root itself.
  public var keys: [Key]

  /// A path of these keys, which may be any text: whether each can be stored, ``Key/problem`` says.
  public init(_ keys: [Key] = []) { self.keys = keys }

  /// Splits on `/` and drops empty parts; every part becomes a key, legal or not.
  public init(_ text: String) {
    keys = text.utf8.split(separator: UInt8(ascii: "/")).map { Key(String(Substring($0))) }
  }

  /// The place that holds the whole tree.
  public static let root = Path()
  /// True when it has no keys.
  public var isRoot: Bool { keys.isEmpty }
  /// The number of keys.
  public var count: Int { keys.count }

  /// The path of the child of that key.
  public func appending(_ key: Key) -> Path { Path(keys + [key]) }
  /// The place that the other path leads to, from this one.
  public func appending(_ path: Path) -> Path { Path(keys + path.keys) }

  /// The first keys, all when there are no more than so many.
  public func prefix(_ count: Int) -> Path { count < keys.count ? Path(Array(keys.prefix(count))) : self }

  /// True when this path is `other` or above it.
  public func contains(_ other: Path) -> Bool {
    keys.count <= other.keys.count && zip(keys, other.keys).allSatisfy { $0 == $1 }
  }

  /// `other` seen from this path; nil when `other` is not at or below it.
  public func relative(_ other: Path) -> Path? {
    contains(other) ? Path(Array(other.keys.dropFirst(keys.count))) : nil
  }
}

extension Path: CustomStringConvertible {
  /// `/a/b`, and `/` for the root.
  public var description: String { "/" + keys.map(\.text).joined(separator: "/") }
}

/// What a request addresses: a place, or the priority of a place (a path whose last part is `.priority`).
public struct Location: Sendable, Hashable {
  /// The place, or the one whose priority is meant.
  public var path: Path
  /// True when the priority of the place is meant and not its value.
  public var isPriority: Bool

  /// The value of a place, or its priority.
  public init(path: Path, isPriority: Bool = false) {
    self.path = path
    self.isPriority = isPriority
  }
}
