import HearthTree

/// A path as it is stored in the tables: each key followed by a slash, in UTF-8; empty for the root. The rows below a
/// path are then one range of the index, because no key has a slash.
struct StoredPath: Equatable {
  /// The bytes in the table.
  let bytes: [UInt8]

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Creates the stored form of a path.
  init(_ path: Path) { self = path.keys.reduce(StoredPath([])) { $0.child($1) } }

  /// Returns the path of a child.
  func child(_ key: Key) -> StoredPath {
    var bytes = bytes
    key.withUTF8 { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "/"))
    return StoredPath(bytes)
  }

  /// The row with the priority of a path that has children.
  var priority: StoredPath { child(".priority") }

  var value: SQLiteValue { .blob(bytes) }

  /// The exclusive end of the range of rows at and below the path.
  var end: SQLiteValue {
    guard !bytes.isEmpty else { return .blob([0xFF]) }  // because no UTF-8 begins with it
    return .blob(bytes.dropLast() + [UInt8(ascii: "/") + 1])
  }

  /// Returns the keys in a row's path; nil when this store did not write it.
  static func keys(_ bytes: [UInt8]) -> [Key]? {
    guard bytes.isEmpty || bytes.last == UInt8(ascii: "/") else { return nil }
    return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropLast().map {
      Key(String(decoding: $0, as: UTF8.self))
    }
  }
}
