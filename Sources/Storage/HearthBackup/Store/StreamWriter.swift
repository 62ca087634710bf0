/// The writer of a stream into a store, piece by piece.
struct StreamWriter {
  private let store: any BlobStore
  private var cutter = StreamCutter()
  private var names: [BlobID] = []
  private(set) var sizeBytes = 0

  init(_ store: any BlobStore) { self.store = store }

  /// Adds bytes.
  mutating func write(_ bytes: [UInt8]) throws {
    sizeBytes += bytes.count
    var new: [BlobID] = []
    let store = store
    try cutter.take(bytes) { new.append(try store.put($0)) }
    names += new
  }

  /// Ends the stream and returns its reference.
  mutating func finish() throws -> StreamReference {
    var new: [BlobID] = []
    let store = store
    try cutter.finish { new.append(try store.put($0)) }
    names += new
    guard names.count > BackupLimits.inlinePiecesMax else { return StreamReference(sizeBytes: sizeBytes, names: names) }
    let perList = BackupLimits.pieceBytesMax / BlobID.sizeBytes
    let lists = try stride(from: 0, to: names.count, by: perList).map { start in
      try store.put(names[start..<min(names.count, start + perList)].flatMap(\.bytes))
    }
    return StreamReference(sizeBytes: sizeBytes, names: lists, isListed: true)
  }
}
