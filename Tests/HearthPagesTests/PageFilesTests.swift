import Foundation
import HearthTree
import RandomTestKit
import Synchronization
import Testing

@testable import HearthPages

/// Tests of databases whose pages are in files.
@Suite struct PageFilesTests {
  @Test(arguments: UInt64(1)...6)
  func `Data that is stored, evicted and opened again is that of a tree in memory`(seed: UInt64) throws {
    var (random, model) = (SeededRandom(seed: seed), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open()
    var (node, evictor) = (Node.empty, PageEvictor(of: pages.store))
    var checkpoint = try pages.save(node)
    for step in 0..<24 {
      node = node.replacing(model.change(1 + random.below(step % 6 == 0 ? 600 : 30), &random))
      switch random.below(4) {
      case 0: node = evictor.run(node, sizeBytes: 100_000)
      case 1:
        checkpoint = try pages.save(node)
        if random.chance(50) { node = try pages.node(checkpoint) }
      case 2:
        // A start: what is not in a checkpoint comes out of the log.
        checkpoint = try pages.save(node)
        pages.files.close()
        checkpoint = try PageCheckpoint(checkpoint.bytes, layout: PageFolder.layout)
        pages = try folder.open(checkpoint.extent)
        (node, evictor) = (try pages.node(checkpoint), PageEvictor(of: pages.store))
      default: break
      }
      if step % 8 == 7 {
        #expect(node == model.node, "seed \(seed), step \(step)")
        #expect(node.streams(model.node.json(.export)), "seed \(seed), step \(step)")
      }
    }
    #expect(pages.store.failure == nil && pages.files.extent.segments.count > 1)
  }

  @Test func `Records are aligned, in one piece each, and sizes are those of the extent`() throws {
    var (random, model) = (SeededRandom(seed: 3), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open()
    let node = Node.empty.replacing(model.change(6_000, &random))
      .replacing("long", with: Node(.string(String(repeating: "long", count: 60_000))))
    _ = try pages.save(node)
    let extent = pages.files.extent
    #expect(folder.names == extent.segments.map { PageFileLayout.name(of: $0.number) } && extent.segments.count > 3)
    for segment in extent.segments {
      let bytes = try folder.bytes(of: segment.number)
      #expect(bytes.count == segment.sizeBytes && segment.recordBytes <= bytes.count - SegmentHeader.sizeBytes)
      var (offset, recordBytes) = (SegmentHeader.sizeBytes, 0)
      while offset < bytes.count {
        let size = Int(bytes[offset + 8]) | Int(bytes[offset + 9]) << 8
        guard size > 0 else {
          // The rest of a piece.
          let next = (offset / PageFolder.layout.pieceSizeBytes + 1) * PageFolder.layout.pieceSizeBytes
          #expect(bytes[offset..<min(next, bytes.count)].allSatisfy { $0 == 0 })
          offset = next
          continue
        }
        #expect(
          offset % 64 == 0 && offset % PageFolder.layout.pieceSizeBytes + size <= PageFolder.layout.pieceSizeBytes)
        (offset, recordBytes) = (offset + size, recordBytes + size)
      }
      #expect(recordBytes == segment.recordBytes)
    }
    #expect(pages.writer.byteCount == extent.segments.reduce(0) { $0 + $1.recordBytes })
    let last = try #require(extent.segments.last)
    #expect(extent.endAddress == last.number * PageFolder.layout.segmentSizeBytes + last.sizeBytes)
  }

  @Test func `Few files are open at once, and all of them are read`() throws {
    var (random, model) = (SeededRandom(seed: 5), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open()
    let checkpoint = try pages.save(Node.empty.replacing(model.change(5_000, &random)))
    pages.files.close()
    pages = try folder.open(checkpoint.extent, openFilesMax: 1)
    let node = try pages.node(checkpoint)
    #expect(node.streams(model.node.json(.export)))
    #expect(node == model.node)
    var table = OpenFileTable(countMax: 2)
    let file = try SegmentFile(folder.path(of: 0), flags: O_RDONLY)
    for number in 0..<3 {
      table.insert(file, OpenFileTable.Key(number: number, access: .random))
      #expect(table.file(OpenFileTable.Key(number: 0, access: .random)) != nil)
    }
    #expect(table.count == 2 && table.file(OpenFileTable.Key(number: 1, access: .random)) == nil)
    #expect(table.file(OpenFileTable.Key(number: 0, access: .sequential)) == nil)
  }

  @Test(arguments: [true, false])
  func `A node is built in the files, in key order or not`(isOrdered: Bool) throws {
    var random = SeededRandom(seed: 2)
    let folder = PageFolder()
    let pages = try folder.open()
    let spill = StoredNodeSpill(PageFileWriter(pages.files, store: pages.store, makeNonce: { 9 }))
    var (plain, builder) = (NodeBuilder(), NodeBuilder(to: spill, sizeBytes: 50_000))
    plain.open()
    builder.open()
    for i in 0..<20_000 {
      let key = Key("m\(100_000 + (isOrdered || random.chance(99) ? i : random.below(20_000)))")
      let value = Scalar.string(String(repeating: "text \(i) ", count: i % 500 == 0 ? 100 : 3))
      plain.key(key)
      plain.leaf(value)
      builder.key(key)
      builder.leaf(value)
    }
    plain.close()
    builder.close()
    let stored: StoredNode
    var sink: PageFileWriter
    (stored, sink) = try spill.finish(builder.finish())
    let text = plain.finish().json(.export)
    #expect(try stored.open().streams(text) && pages.files.extent.segments.count > 2)
    #expect(pages.store.residentBytes == 0)
    // The sink goes on behind the node.
    let end = pages.files.extent.endAddress
    _ = try sink.append(sizeBytes: 64) { record, _ in record[8] = 64 }
    try sink.sync()
    #expect(pages.files.extent.endAddress == end + 64)
  }

  @Test func `Threads read while records are appended`() throws {
    var (random, model) = (SeededRandom(seed: 8), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open()
    var node = Node.empty.replacing(model.change(3_000, &random))
    let checkpoint = try pages.save(node)
    let expected = model.node.json(.export)
    let (store, root) = (pages.store, checkpoint.root)
    let failureCount = Mutex(0)
    let group = DispatchGroup()
    for thread in 0..<3 {
      DispatchQueue.global().async(group: group) {
        for _ in 0..<6 {
          let cold = try? StoredNode(root, in: store).open()
          let text = thread == 0 ? cold?.streamed.text : cold?.json(.export)
          if text != expected { failureCount.withLock { $0 += 1 } }
        }
      }
    }
    for _ in 0..<12 {
      node = node.replacing(model.change(300, &random))
      _ = try pages.save(node)
    }
    group.wait()
    #expect(failureCount.withLock(\.self) == 0 && pages.store.failure == nil)
    pages.files.close()
    #expect {
      try pages.node(checkpoint)
    } throws: {
      ($0 as? PageError)?.code == .closed
    }
    #expect(throws: PageError.self) { try pages.writer.write(Node(.int(4))) }
  }

  @Test func `A changed bit of a record is found, with its file and address`() throws {
    var (random, model) = (SeededRandom(seed: 4), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open()
    let checkpoint = try pages.save(Node.empty.replacing(model.change(200, &random)))
    let bytes = try folder.bytes(of: 0)
    var offset = SegmentHeader.sizeBytes
    while offset < bytes.count {
      let size = Int(bytes[offset + 8]) | Int(bytes[offset + 9]) << 8
      let place = offset + random.below(size)
      try folder.change(0) { $0[place] ^= 1 << UInt8(random.below(8)) }
      #expect(try pages.node(checkpoint).streamed.failedCount > 0)
      let failure = try #require(pages.store.failure)
      #expect(failure.code == .damaged && failure.file == folder.path(of: 0))
      #expect(failure.location?.address == offset && failure.description.contains("\(offset)"))
      pages.store.clearFailure()
      try folder.write(bytes, to: 0)
      offset += size
    }
    #expect(try pages.node(checkpoint).streamed.failedCount == 0)
  }

  @Test func `A record in the place of another one is found`() throws {
    var (random, model) = (SeededRandom(seed: 4), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open()
    let checkpoint = try pages.save(Node.empty.replacing(model.change(5_000, &random)))
    // The same offset of another segment, and another offset of the same one.
    let other = try folder.bytes(of: 1)
    let piece = PageFolder.layout.pieceSizeBytes
    for source in [other[piece..<2 * piece], try folder.bytes(of: 0)[2 * piece..<3 * piece]] {
      let before = try folder.bytes(of: 0)
      try folder.change(0) { $0.replaceSubrange(piece..<2 * piece, with: source) }
      #expect(try pages.node(checkpoint).streamed.failedCount > 0)
      #expect(pages.store.failure?.finding == "the checksum is wrong")
      pages.store.clearFailure()
      try folder.write(before, to: 0)
    }
    #expect(try pages.node(checkpoint).streamed.failedCount == 0)
  }

  @Test func `A file that ends early, is gone, or is named by no extent is an error of the page`() throws {
    var (random, model) = (SeededRandom(seed: 4), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open()
    let checkpoint = try pages.save(Node.empty.replacing(model.change(4_000, &random)))
    pages = try folder.open(checkpoint.extent)
    try folder.change(0) { $0.removeLast(8) }
    #expect(try pages.node(checkpoint).streamed.failedCount > 0)
    #expect(pages.store.failure?.code == .missing && pages.store.failure?.file == folder.path(of: 0))
    pages = try folder.open()  // This removes all segments.
    #expect(folder.names.isEmpty)
    #expect {
      try pages.node(checkpoint)
    } throws: {
      ($0 as? PageError)?.finding == "the segment is not in use"
    }
    for (address, size) in [(0, 64), (4_032, 128), (PageFolder.layout.pieceSizeBytes - 64, 128)] {
      let location = try #require(PageLocation(store: pages.store.number, address: address, sizeBytes: size))
      #expect(throws: PageError("no page can be at this address", at: location)) {
        try pages.files.read(at: location) { _, _ in Issue.record("bytes") }
      }
    }
  }
}
