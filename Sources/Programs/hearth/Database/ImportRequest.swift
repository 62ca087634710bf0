import HearthTree

/// A write of an import: the whole value, or some children below a path.
struct ImportRequest: Sendable {
  /// True when ``body`` replaces the value at ``path``; false when its members are written below it.
  var isWhole: Bool
  var path: DataPath
  /// The part of ``path`` below the path of the import.
  var relativePath: Path
  var body: [UInt8]
  /// True when the write gives priorities to paths that were written before.
  var hasPriorities: Bool

  /// Returns the checksum of the written data, with paths below the path of the import; nil when the server computes
  /// some of its values, or refuses it.
  func checksum() -> DataChecksum? {
    body.withUnsafeBytes { bytes in
      var (reader, checksum) = (JSONReader(bytes), DataChecksum())
      let isKnown =
        isWhole
        ? try? checksum.add(&reader, at: Location(path: relativePath))
        : try? checksum.add(update: &reader, at: relativePath)
      return isKnown == true ? checksum : nil
    }
  }
}

/// A collector of a text's parts into requests.
struct ImportBatch {
  /// The size in bytes at which a request is sent. Larger ones save little, and an interruption repeats a request.
  static let bodyBytes = 4 << 20
  /// The maximum number of paths in a request, below the limit of 100,000, because the server decides nothing else while it applies
  /// one.
  private static let membersMax = 20_000

  private let base: DataPath
  private var parent: [String] = []
  private var body: [UInt8] = []
  private var memberCount = 0
  private var hasPriorities = false

  /// - Parameter base: The path to write the text to.
  init(base: DataPath) { self.base = base }

  /// Adds a part to the current request.
  ///
  /// - Returns: The requests that must be sent before, and with, this part.
  mutating func add(_ part: JSONDataSplitter.Part) -> [ImportRequest] {
    guard let name = part.name else {
      return [
        ImportRequest(isWhole: true, path: base, relativePath: .root, body: part.text, hasPriorities: false)
      ]
    }
    var requests: [ImportRequest] = []
    if !part.parent.starts(with: parent, by: { $0.utf8.elementsEqual($1.utf8) }) { requests += flush() }
    if memberCount == 0 { parent = part.parent }
    body.append(UInt8(ascii: memberCount == 0 ? "{" : ","))
    body.append(UInt8(ascii: "\""))
    for key in part.parent.dropFirst(parent.count) {
      body += JSON.string(key).text().dropFirst().dropLast()
      body.append(UInt8(ascii: "/"))
    }
    body += name
    body += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    body += part.text
    memberCount += 1
    hasPriorities = hasPriorities || part.isPriority
    if body.count >= Self.bodyBytes || memberCount >= Self.membersMax { requests += flush() }
    return requests
  }

  /// Returns the last request, with the parts that are not sent yet.
  mutating func flush() -> [ImportRequest] {
    guard memberCount > 0 else { return [] }
    body.append(UInt8(ascii: "}"))
    let request = ImportRequest(
      isWhole: false, path: base.appending(parent), relativePath: Path(parent.map { Key($0) }), body: body,
      hasPriorities: hasPriorities)
    (parent, body, memberCount, hasPriorities) = ([], [], 0, false)
    return [request]
  }
}
