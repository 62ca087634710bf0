import GRDB
import HearthRows
import HearthTree

/// A path as the store's tables have it: each key with a slash behind it, in UTF-8; empty for the root. What is below a place
/// is then one range of the index, because no key has a slash.
struct StoredPath: Equatable {
  /// The bytes in the table.
  let bytes: [UInt8]

  /// The stored form of a path.
  init(_ path: Path) {
    var bytes: [UInt8] = []
    for key in path.keys {
      bytes += key.text.utf8
      bytes.append(UInt8(ascii: "/"))
    }
    self.bytes = bytes
  }

  /// The row with the priority of a place that has children.
  static func priority(of path: Path) -> StoredPath { StoredPath(path.appending(".priority")) }

  var value: DatabaseValue { .blob(bytes) }

  /// The exclusive end of the range of rows at and below the path.
  var end: DatabaseValue {
    guard !bytes.isEmpty else { return .blob([0xFF]) }  // because no UTF-8 begins with it
    return .blob(bytes.dropLast() + [UInt8(ascii: "/") + 1])
  }

  /// The keys in a row's path; nil for what this store does not write.
  static func keys(_ bytes: [UInt8]) -> [Key]? {
    guard bytes.isEmpty || bytes.last == UInt8(ascii: "/") else { return nil }
    return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropLast().map {
      Key(String(decoding: $0, as: UTF8.self))
    }
  }
}
