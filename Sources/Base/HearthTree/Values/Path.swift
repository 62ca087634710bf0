/// A location in the tree: the keys from the root down. The empty path is the root.
public struct Path: Sendable, Hashable {
  /// The keys from the root down; empty for the root itself.
  public var keys: [Key]

  /// Creates a path of the keys, which may be any texts; ``Key/problem`` states whether a key can be stored.
  public init(_ keys: [Key] = []) { self.keys = keys }

  /// Splits the text on `/` and drops empty parts; every part becomes a key, valid or not.
  public init(_ text: String) {
    keys = text.utf8.split(separator: UInt8(ascii: "/")).map { Key(String(Substring($0))) }
  }

  /// The location of the whole tree.
  public static let root = Path()
  /// True for the root, which has no keys.
  public var isRoot: Bool { keys.isEmpty }
  /// The number of keys.
  public var count: Int { keys.count }

  /// Returns the path of the child with the key.
  public func appending(_ key: Key) -> Path { Path(keys + [key]) }
  /// Returns this path followed by the other one, which is relative to it.
  public func appending(_ path: Path) -> Path { Path(keys + path.keys) }

  /// Returns the path of the first `count` keys; this path when it has no more.
  public func prefix(_ count: Int) -> Path { count < keys.count ? Path(Array(keys.prefix(count))) : self }

  /// Returns true when this path is `other` or above it.
  public func contains(_ other: Path) -> Bool {
    keys.count <= other.keys.count && zip(keys, other.keys).allSatisfy { $0 == $1 }
  }

  /// Returns the other path relative to this one; nil when it is not at or below it.
  public func relative(_ other: Path) -> Path? {
    contains(other) ? Path(Array(other.keys.dropFirst(keys.count))) : nil
  }
}

extension Path: CustomStringConvertible {
  /// The text of a path: `/a/b`, and `/` for the root.
  public var description: String { "/" + keys.map(\.text).joined(separator: "/") }
}

/// The target of a request: the value at a path, or its priority (which requests name with a last part `.priority`).
public struct Location: Sendable, Hashable {
  /// The path, without `.priority`.
  public var path: Path
  /// True for the priority at the path, false for the value.
  public var isPriority: Bool

  /// Creates the location of the value at a path, or of its priority.
  public init(path: Path, isPriority: Bool = false) {
    self.path = path
    self.isPriority = isPriority
  }
}
