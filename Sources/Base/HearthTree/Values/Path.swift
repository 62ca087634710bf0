/// A location in the tree: the keys from the root down. The empty path is the root.
public struct Path: Sendable, Hashable {
  /// The keys from the root down; empty for the root itself.
  public var keys: [Key]

  /// Makes a path of these keys, which may be any text; ``Key/problem`` tells whether each can be stored.
  public init(_ keys: [Key] = []) { self.keys = keys }

  /// Splits the text on `/` and drops empty parts; every part becomes a key, legal or not.
  public init(_ text: String) {
    keys = text.utf8.split(separator: UInt8(ascii: "/")).map { Key(String(Substring($0))) }
  }

  /// The location of the whole tree.
  public static let root = Path()
  /// True when it has no keys.
  public var isRoot: Bool { keys.isEmpty }
  /// The number of keys.
  public var count: Int { keys.count }

  /// The path of the child of that key.
  public func appending(_ key: Key) -> Path { Path(keys + [key]) }
  /// The path that the other one leads to from this one.
  public func appending(_ path: Path) -> Path { Path(keys + path.keys) }

  /// The path of the first `count` keys; this path when it has no more.
  public func prefix(_ count: Int) -> Path { count < keys.count ? Path(Array(keys.prefix(count))) : self }

  /// True when this path is `other` or above it.
  public func contains(_ other: Path) -> Bool {
    keys.count <= other.keys.count && zip(keys, other.keys).allSatisfy { $0 == $1 }
  }

  /// The other path relative to this one; nil when it is not at or below it.
  public func relative(_ other: Path) -> Path? {
    contains(other) ? Path(Array(other.keys.dropFirst(keys.count))) : nil
  }
}

extension Path: CustomStringConvertible {
  /// The text of a path: `/a/b`, and `/` for the root.
  public var description: String { "/" + keys.map(\.text).joined(separator: "/") }
}

/// The target of a request: a place, or the priority of a place (a path whose last part is `.priority`).
public struct Location: Sendable, Hashable {
  /// The place, also when its priority is meant.
  public var path: Path
  /// True when the priority of the place is meant and not its value.
  public var isPriority: Bool

  /// Makes the location of a place's value, or of its priority.
  public init(path: Path, isPriority: Bool = false) {
    self.path = path
    self.isPriority = isPriority
  }
}
