import CAtomics
import HearthBytes

/// A place at the end of a store to which records are appended.
package protocol PageSink: Sendable {
  /// The store of the records.
  var store: PageStore { get }

  /// Appends a record at a higher address than all before it, and returns its location.
  ///
  /// - Parameters:
  ///   - sizeBytes: The size of the record, a multiple of 64.
  ///   - fill: Writes the record into its memory, all of it; `seed` is that of the checksum at this address.
  mutating func append(
    sizeBytes: Int, _ fill: (_ record: UnsafeMutableRawBufferPointer, _ seed: UInt64) -> Void
  ) throws(PageError) -> PageLocation

  /// Makes the records durable that were appended before.
  mutating func sync() throws(PageError)

  /// Drops the records that were appended since the last sync. Their addresses may be used again.
  mutating func discard()
}

/// A writer that stores what is not stored yet of nodes.
///
/// A store has one writer at a time. Written objects count as stored when ``commit()`` has made the sink's data
/// durable; other threads may read the nodes meanwhile. What is stored in another store is copied, at each parent that
/// is written: an object has one location.
package struct StoredNodeWriter<Sink: PageSink>: Sendable {
  /// The sink.
  package private(set) var sink: Sink
  /// The number of pages written.
  package private(set) var pageCount = 0
  /// The number of branches written.
  package private(set) var branchCount = 0
  /// The bytes of the records.
  package private(set) var byteCount = 0

  /// True when objects remember that they are stored. Otherwise they must not be written again, and memory is not used.
  var marksObjects = true

  /// The objects written since the last commit. The cells of their locations have bit 0 clear.
  private var written: [Written] = []

  private struct Written: @unchecked Sendable {
    // @unchecked because the object is a page, branch or text, which threads share.

    let object: AnyObject
    let location: PageLocation
    let residentSize: Int
  }

  /// Creates a writer to a sink.
  package init(_ sink: Sink) { self.sink = sink }

  /// Stores a node, and returns its location, which is valid after ``commit()``.
  ///
  /// After an error, ``discard()`` must be called.
  package mutating func write(_ node: Node) throws(PageError) -> StoredNode {
    switch node.content {
    case .empty: return .empty
    case .tree(let tree): return StoredNode(StoredReference(tree, root: try write(tree.root, level: tree.height)))
    case .packed(let page, let offset):
      var root = page
      if page.count > 0 || offset > 0 {
        let value = page.value(at: offset)
        var writer = PageWriter(entryCount: 0, byteCount: value.size)
        writer.value(value, mayRefer: page.hasReferences)
        root = writer.finish()
      }
      return StoredNode(packed: try write(NodeReference(root), level: 0))
    }
  }

  /// Makes the sink's data durable, and marks what was written as stored. After an error, nothing of it is stored.
  package mutating func commit() throws(PageError) {
    do {
      try sink.sync()
    } catch {
      discard()
      throw error
    }
    for item in written {
      let cell = StoredObject.cell(of: .passUnretained(item.object))
      StoredObject.remember(cell, at: item.location, sizeBytes: item.residentSize)
    }
    written.removeAll()
  }

  /// Changes the sink, to which nothing was written since the last commit.
  package mutating func updateSink(_ body: (inout Sink) -> Void) { body(&sink) }

  /// Drops what was written since the last commit, which is not stored then.
  package mutating func discard() {
    sink.discard()
    for item in written { atomic_word_store(StoredObject.cell(of: .passUnretained(item.object)), 0) }
    written.removeAll()
  }
}

extension StoredNodeWriter {
  /// Stores a page or branch, if it is not stored, and returns its location. The recursion is as deep as the data, whose
  /// depth is limited, and its trees.
  mutating func write(_ reference: NodeReference, level: Int) throws(PageError) -> PageLocation {
    if let location = known(reference) { return location }
    // One that is not in memory is in another store.
    let object = try reference.loaded { record throws(PageError) in try record.object(level: level, depth: 0) }
    // Only level 0 is a page.
    if level == 0 { return try write(unsafeDowncast(object, to: Page.self)) }
    return try write(unsafeDowncast(object, to: PageBranch.self))
  }

  /// Returns the location of an object that is written in the sink's store.
  private func known(_ reference: NodeReference) -> PageLocation? {
    let bits = reference.object.map { atomic_word_load(StoredObject.cell(of: $0)) | 1 } ?? reference.bits
    let location = PageLocation(bits: bits)
    return location.store == sink.store.number ? location : nil
  }

  private mutating func write(_ branch: PageBranch) throws(PageError) -> PageLocation {
    let count = branch.count
    var body = [UInt8](UnsafeRawBufferPointer(start: branch.base, count: 8 * count))
    for i in 0..<count { body.append(number: try write(branch.reference(i), level: branch.level - 1).fileBits) }
    // The children's cells are not copied, because other threads may be changing them.
    body.append(
      contentsOf: UnsafeRawBufferPointer(start: branch.base + 16 * count, count: branch.byteCount - 16 * count))
    branchCount += 1
    let flags = branch.mayRefer ? 0 : PageRecord.noReferencesFlag
    let head = RecordHead(kind: PageRecord.Kind.branch, level: branch.level, count: count, flags: flags)
    return note(branch, try append(head, body, payloadSize: body.count), branch.residentSize)
  }

  private mutating func write(_ page: Page) throws(PageError) -> PageLocation {
    let payload = UnsafeRawBufferPointer(start: page.base, count: page.byteCount)
    let kind = page.count == 0 ? PageRecord.Kind.value : PageRecord.Kind.page
    var head = RecordHead(kind: kind, count: page.count)
    pageCount += 1
    guard page.hasReferences else { return note(page, try append(head, payload), page.residentSize) }
    head.referenceCount = page.referenceCount
    let positions = page.referencePositions
    var references = ByteWriter()
    var body = [UInt8](payload)
    for (ordinal, position) in positions.enumerated() {
      let address = page.base + position.offset
      if position.kind == PackedKind.tree {
        let tree = address.loadUnaligned(as: Unmanaged<PageTree>.self).takeUnretainedValue()
        StoredReference(tree, root: try write(tree.root, level: tree.height)).write(to: &references)
      } else {
        let text = address.loadUnaligned(as: Unmanaged<PageText>.self).takeUnretainedValue()
        StoredReference(text, content: try write(text)).write(to: &references)
      }
      body.withUnsafeMutableBytes {
        $0.storeBytes(of: UInt64(ordinal).littleEndian, toByteOffset: position.offset, as: UInt64.self)
      }
    }
    body += references.bytes
    return note(page, try append(head, body, payloadSize: payload.count), page.residentSize)
  }

  /// Stores a text, if it is not stored, and returns its location.
  mutating func write(_ text: PageText) throws(PageError) -> PageLocation {
    let reference = text.content
    if let location = known(reference) { return location }
    let byteCount = text.byteCount
    let object = try reference.loaded { record throws(PageError) in try record.text(byteCount: byteCount) }
    let content = unsafeDowncast(object, to: PageTextContent.self)  // Only contents are in these cells.
    let bytes = Array(content.string.utf8)
    let head = RecordHead(kind: PageRecord.Kind.text)
    return note(content, try append(head, bytes, payloadSize: bytes.count), content.residentSize)
  }

  /// Notes that an object has been written, unless it has a location in another store.
  private mutating func note(_ object: AnyObject, _ location: PageLocation, _ residentSize: Int) -> PageLocation {
    let cell = StoredObject.cell(of: .passUnretained(object))
    guard marksObjects, atomic_word_load(cell) == 0 else { return location }
    atomic_word_store(cell, location.bits & ~1)
    written.append(Written(object: object, location: location, residentSize: residentSize))
    return location
  }
}

/// The header of a record that is about to be written.
private struct RecordHead {
  var kind: UInt8
  var level = 0
  var referenceCount = 0
  var count = 0
  var payloadSize = 0
  var flags: UInt64 = 0

  /// Writes a record without its content.
  func write(to record: UnsafeMutableRawBufferPointer) {
    record.storeBytes(of: UInt32(truncatingIfNeeded: record.count).littleEndian, toByteOffset: 8, as: UInt32.self)
    record[12] = kind
    record[13] = UInt8(truncatingIfNeeded: level)
    record.storeBytes(of: UInt16(truncatingIfNeeded: referenceCount).littleEndian, toByteOffset: 14, as: UInt16.self)
    record.storeBytes(of: UInt32(truncatingIfNeeded: count).littleEndian, toByteOffset: 16, as: UInt32.self)
    record.storeBytes(of: UInt32(truncatingIfNeeded: payloadSize).littleEndian, toByteOffset: 20, as: UInt32.self)
    record.storeBytes(of: flags.littleEndian, toByteOffset: 24, as: UInt64.self)
  }
}

extension StoredNodeWriter {
  private mutating func append(
    _ head: RecordHead, _ body: [UInt8], payloadSize: Int
  ) throws(PageError) -> PageLocation {
    var result: Result<PageLocation, PageError> = .failure(PageError("the record is not written"))
    body.withUnsafeBytes { bytes in
      do throws(PageError) {
        result = .success(try append(head, bytes, payloadSize: payloadSize))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  /// Appends a record, with parts before it when the body is too large.
  private mutating func append(
    _ head: RecordHead, _ body: UnsafeRawBufferPointer, payloadSize: Int? = nil
  ) throws(PageError) -> PageLocation {
    var head = head
    head.payloadSize = payloadSize ?? body.count
    guard body.count > PageRecord.partSizeBytes else { return try record(head, body) }
    guard body.count <= PageRecord.bodySizeBytesMax else { throw PageError("the value is too large to be stored") }
    var parts: [UInt8] = []
    parts.append(number: UInt64(body.count))
    for start in stride(from: 0, to: body.count, by: PageRecord.partSizeBytes) {
      let part = UnsafeRawBufferPointer(rebasing: body[start..<min(start + PageRecord.partSizeBytes, body.count)])
      parts.append(number: try record(RecordHead(kind: PageRecord.Kind.part, payloadSize: part.count), part).fileBits)
    }
    guard parts.count <= PageRecord.partSizeBytes else { throw PageError("the value is too large to be stored") }
    head.flags |= PageRecord.partsFlag
    return try append(head, parts, payloadSize: head.payloadSize)
  }

  private mutating func record(_ head: RecordHead, _ content: UnsafeRawBufferPointer) throws(PageError) -> PageLocation
  {
    let used = PageRecord.headerSize + content.count
    let size = (used + PageLocation.alignment - 1) / PageLocation.alignment * PageLocation.alignment
    byteCount += size
    return try sink.append(sizeBytes: size) { record, seed in
      head.write(to: record)
      UnsafeMutableRawBufferPointer(rebasing: record[PageRecord.headerSize...]).copyMemory(from: content)
      for position in used..<size { record[position] = 0 }
      let hash = XXH64.hash(UnsafeRawBufferPointer(rebasing: record[8...]), seed: seed)
      record.storeBytes(of: hash.littleEndian, toByteOffset: 0, as: UInt64.self)
    }
  }
}

extension Page {
  /// The offset of every address of a tree or text in the page, and its kind, in order.
  var referencePositions: [(offset: Int, kind: UInt8)] {
    var positions: [(offset: Int, kind: UInt8)] = []
    scanReferences { position, kind in positions.append((position - UnsafeRawPointer(base), kind)) }
    return positions
  }

  /// Calls `body` for the position of every address of a tree or text in the page, and its kind, in order.
  func scanReferences(_ body: (_ position: UnsafeRawPointer, _ kind: UInt8) -> Void) {
    guard hasReferences else { return }
    if count == 0 {
      _ = PackedValue(base).scanReferences(body)
    } else {
      entries(0..<count).scanReferences(body)
    }
  }
}
