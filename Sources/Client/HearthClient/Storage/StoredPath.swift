import HearthTree

/// A path as it is stored in the tables: each key followed by a slash, in UTF-8; empty for the root. The rows below a
/// path are then one range of the index, because no key has a slash.
struct StoredPath: Equatable {
  /// The bytes in the table.
  let bytes: [UInt8]

  /// Creates the stored form of a path.
  init(_ path: Path) {
    var bytes: [UInt8] = []
    for key in path.keys {
      bytes += key.text.utf8
      bytes.append(UInt8(ascii: "/"))
    }
    self.bytes = bytes
  }

  /// Returns the row with the priority of a path that has children.
  static func priority(of path: Path) -> StoredPath { StoredPath(path.appending(".priority")) }

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
