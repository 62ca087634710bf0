import HearthBytes
import HearthTree

@testable import HearthPages

extension Parser {
  /// The parsers of stored pages, of their files and of checkpoints.
  static let pageParsers = [
    Parser(name: "page-checkpoint") { bytes in
      guard let checkpoint = try? PageCheckpoint(bytes) else { return }
      try require(checkpoint.bytes == bytes, "a checkpoint that is written otherwise than it was read")
      if let store = RecordSource.store { _ = try? StoredNode(checkpoint.root, in: store) }
    },
    Parser(name: "page-file") { bytes in
      // The checksum is added, so that the fields are reached.
      let whole = bytes.prefix(SegmentHeader.sizeBytes - 8)
      var content = Array(whole) + [UInt8](repeating: 0, count: SegmentHeader.sizeBytes - 8 - whole.count)
      content.append(number: XXH64.hash(content.span, seed: 0))
      guard let header = try? SegmentHeader(content) else { return }
      try require(header.bytes == content, "a header that is written otherwise than it was read")
    },
    Parser(name: "pages") { bytes in
      guard let records = RecordSource(bytes), let store = RecordSource.store else { return }
      RecordSource.current = records
      defer { RecordSource.current = nil }
      guard let root = try? StoredNode(records.root, in: store), let node = try? root.open() else { return }
      let (text, faults) = FaultScope.run(.stream) { node.json(.export) }
      let again = FaultScope.run(.install) { node.json(.export) }
      try require(text == again.result, "a node that is read as another one")
      if !faults.isIncomplete { try require(node.leafCount >= 0 && node.heldBytes() >= 0, "a negative size") }
      var changed = node
      for (key, child) in Array(node.children.prefix(8)) {
        changed = changed.replacing(key, with: child.childCount % 2 == 0 ? .empty : Node(.int(1)))
      }
      changed.forEachDifference(from: node) { _, _, _ in }
      var evictor = PageEvictor(of: store)
      for _ in 0..<4 { changed = evictor.run(changed, sizeBytes: .max) }
      _ = changed.json(.export)
      if let index = ChildIndex(stored: node, by: .value) {
        _ = QueryResult(Query(order: .value, limit: .last(9)), of: node, index: index).node
      }
    },
  ]
}

/// Stored pages from an input, to which sizes and right checksums are added. The last one is the root.
///
///     input  = record*
///     record = length of the content (2 bytes, little-endian), content: a record from its kind on
private final class RecordSource: PageSource, @unchecked Sendable {
  /// The pages of the current input. Inputs are read one after another.
  nonisolated(unsafe) static var current: RecordSource?

  /// The store of all inputs.
  static let store = PageStore.register(RecordSource())

  private static let start = 4096
  private var records: [Int: [UInt8]] = [:]
  private(set) var root: [UInt8] = []

  private init() {}

  init?(_ bytes: [UInt8]) {
    var (reader, address) = (ByteReader(bytes[...]), Self.start)
    while let length = try? reader.number(UInt16.self), let content = try? reader.raw(Int(length)) {
      let size = (12 + content.count + 63) / 64 * 64
      guard let location = PageLocation(store: 0, address: address, sizeBytes: size), content.count >= 20 else {
        return nil
      }
      var record = [UInt8](repeating: 0, count: 8)
      record.append(number: UInt32(size))
      record += content + [UInt8](repeating: 0, count: size - 12 - content.count)
      let hash = record.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[8...]), seed: 0) }
      withUnsafeBytes(of: hash.littleEndian) { record.replaceSubrange(0..<8, with: $0) }
      records[address] = record
      address += size
      root = Self.root(kind: content[0], height: content[1], location)
    }
    if records.isEmpty { return nil }
  }

  /// Returns the bytes of the location of a root: of a packed node, or of a tree whose counts are made up.
  private static func root(kind: UInt8, height: UInt8, _ location: PageLocation) -> [UInt8] {
    var writer = ByteWriter()
    if kind == 3 {
      writer.number(kind)
      writer.number(location.fileBits)
    } else {
      writer.number(6 as UInt8)
      writer.number(height)
      writer.number(location.fileBits)
      for _ in 0..<3 { writer.number(7 as UInt64) }
      writer.number(0 as UInt8)
    }
    return writer.bytes
  }

  func read(at location: PageLocation, _ body: (UnsafeRawBufferPointer, UInt64) -> Void) throws(PageError) {
    guard let record = Self.current?.records[location.address], record.count == location.sizeBytes else {
      throw PageError("no such record", at: location)
    }
    record.withUnsafeBytes { body($0, 0) }
  }
}
