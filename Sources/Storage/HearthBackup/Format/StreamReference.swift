import HearthTree

/// A stream of bytes that is stored in pieces, with their names in order.
///
/// In a manifest: `{"bytes":N,"blobs":["NAME",…]}`; or, for a stream of many pieces, `{"bytes":N,"lists":["NAME",…]}`,
/// where each list is a piece with the names, 32 bytes each, of some of the stream's pieces.
struct StreamReference: Sendable, Equatable {
  /// The total size in bytes.
  var sizeBytes: Int
  /// The names of the stream's pieces, or of lists of the pieces when ``isListed`` is true.
  var names: [BlobID]
  var isListed = false

  init(sizeBytes: Int, names: [BlobID], isListed: Bool = false) {
    (self.sizeBytes, self.names, self.isListed) = (sizeBytes, names, isListed)
  }

  /// Reads a reference; nil when the JSON is not a valid reference.
  init?(_ json: JSON?) {
    guard let json, let size = json["bytes"]?.int, (0...BackupLimits.streamBytesMax).contains(size) else { return nil }
    let listed = json["lists"]?.array
    guard let texts = listed ?? json["blobs"]?.array else { return nil }
    let names = texts.compactMap { $0.string.flatMap(BlobID.init(hex:)) }
    guard names.count == texts.count else { return nil }
    self.init(sizeBytes: Int(size), names: names, isListed: listed != nil)
  }

  var json: JSON {
    ["bytes": .int(Int64(sizeBytes)), isListed ? "lists" : "blobs": .array(names.map { .string($0.description) })]
  }
}
