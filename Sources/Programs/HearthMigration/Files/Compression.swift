/// The compression of a file, recognised by its first bytes.
package enum Compression: Sendable, Equatable {
  /// RFC 1952.
  case gzip
  /// RFC 8878.
  case zstandard

  /// The number of bytes that decide.
  package static let magicBytes = 4

  /// Recognises the compression; nil for other content.
  ///
  /// - Parameter start: The first ``magicBytes`` bytes of the file, or all of a shorter one.
  package init?(start: some Collection<UInt8>) {
    if start.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
      self = .zstandard
    } else {
      return nil
    }
  }

  /// Returns a file's name without the extension of a compression: `users.csv` for `users.csv.gz`.
  package static func plainName(_ name: String) -> String {
    for ending in [".gz", ".zst"] where name.lowercased().hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return name
  }
}
