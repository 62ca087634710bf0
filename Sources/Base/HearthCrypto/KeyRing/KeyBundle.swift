/// The files of a key store that several servers share, as one text:
///
/// ```
/// hearth keys 1
/// legacy-secrets 44          a file's name and its size in bytes of UTF-8, followed by its content
/// …
/// ```
struct KeyBundle: Equatable, Redacted {
  private static let head = "hearth keys 1\n"

  /// The files with their names, in the order of the store.
  var files: [(name: String, text: String)]

  init(_ files: [(name: String, text: String)]) { self.files = files }

  /// Reads a bundle; nil for any other text, and when its files are not those of `names`.
  init?(text: String, names: [String]) {
    var rest = Substring(text).utf8
    func line() -> String? {
      guard let end = rest.firstIndex(of: 0x0A) else { return nil }
      defer { rest = rest[rest.index(after: end)...] }
      return String(rest[..<end])
    }
    guard let first = line(), first + "\n" == Self.head else { return nil }
    files = []
    for name in names {
      let parts = line()?.split(separator: " ") ?? []
      guard parts.count == 2, parts[0] == name, let count = Int(parts[1]), count >= 0,
        let end = rest.index(rest.startIndex, offsetBy: count, limitedBy: rest.endIndex),
        let text = String(rest[..<end])
      else { return nil }
      files.append((name, text))
      rest = rest[end...]
    }
    guard rest.isEmpty else { return nil }
  }

  var text: String { files.reduce(Self.head) { "\($0)\($1.name) \($1.text.utf8.count)\n\($1.text)" } }

  static func == (left: KeyBundle, right: KeyBundle) -> Bool { left.files.elementsEqual(right.files, by: ==) }
}
