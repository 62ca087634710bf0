import Foundation
import HearthTree
import RandomTestKit
import Testing

@testable import HearthPages

/// Tests of emptying segments, and of removing those that no checkpoint needs.
@Suite struct SegmentRemovalTests {
  /// Returns the segments with records of a checkpoint, and paths to those in closing segments.
  private func scan(
    _ checkpoint: PageCheckpoint, in pages: OpenPages, closing: Set<Int> = []
  ) throws -> (liveBytes: [Int: Int], paths: [Path]) {
    var (liveBytes, paths): ([Int: Int], [Path]) = ([:], [])
    var scanner = StoredNodeScanner { location in
      let number = pages.files.segmentNumber(of: location)
      liveBytes[number, default: 0] += location.sizeBytes
      return closing.contains(number)
    } move: {
      paths.append($0)
    }
    try scanner.scan(try pages.node(checkpoint))
    return (liveBytes, paths)
  }

  @Test("a scan finds every record of a new node once, among them parts of texts, and no record twice")
  func scan() throws {
    let folder = PageFolder()
    var (pages, random, model) = (try folder.open(), SeededRandom(seed: 3), RoomModel())
    _ = model.change(1_500, &random)
    let long = ["long", "r1/m1000/text/deep", "é/x"].map { path in
      let text = String(repeating: "long \(path) ", count: 40_000)
      return (path: Path(path), node: Node(.string(text), priority: .string(String(repeating: "p", count: 900))))
    }
    let node = model.node.replacing(long)
    let checkpoint = try pages.save(node)
    let found = try scan(checkpoint, in: pages)
    #expect(found.liveBytes.values.reduce(0, +) == pages.writer.byteCount && found.paths.isEmpty)
    for segment in checkpoint.extent.segments { #expect(found.liveBytes[segment.number] == segment.recordBytes) }
  }

  @Test(
    "segments are emptied and removed while all retained checkpoints stay readable, over reopenings", arguments: 1...6)
  func model(seed: UInt64) throws {
    let folder = PageFolder()
    var (random, model) = (SeededRandom(seed: seed), RoomModel())
    var pages = try folder.open(seed: seed)
    var node = Node.empty
    var retained: [(checkpoint: PageCheckpoint, text: [UInt8])] = []
    var removedCount = 0
    for round in 0..<40 {
      node = node.replacing(model.change(random.below(300) + 1, &random))
      let text = model.node.json(.export)
      #expect(node.json(.export) == text)
      var checkpoint = try pages.save(node)
      if random.chance(50) { pages.writer.updateSink { $0.seal() } }
      if random.chance(60) {
        let closing = Set(pages.files.fullSegments.map(\.number).filter { _ in random.chance(70) })
        let before = try scan(checkpoint, in: pages, closing: closing)
        #expect(before.paths.isEmpty == closing.isDisjoint(with: before.liveBytes.keys))
        let (rewritten, faults) = FaultScope.run(.install) { node.rewritten(at: before.paths) }
        try #require(!faults.isIncomplete && rewritten.json(.export) == text)
        node = rewritten
        checkpoint = try pages.save(node)
        let after = try scan(checkpoint, in: pages, closing: closing)
        #expect(after.paths.isEmpty && closing.isDisjoint(with: after.liveBytes.keys), "round \(round)")
        var free = closing
        for kept in retained { free.subtract(try scan(kept.checkpoint, in: pages).liveBytes.keys) }
        pages.files.release(free)
        checkpoint.extent = pages.files.extent
        // What a crash before the removal leaves is removed by the next opening.
        if random.chance(70) { #expect(try pages.files.removeReleased(erasing: random.chance(50)) != nil) }
        removedCount += free.count
      }
      retained.append((checkpoint, text))
      while retained.count > random.below(4) + 1 { retained.remove(at: random.below(retained.count - 1)) }
      if random.chance(40) {
        pages.files.close()
        pages = try folder.open(checkpoint.extent, seed: seed &+ UInt64(round))
        #expect(!pages.files.hasReleased)
        #expect(folder.names == checkpoint.extent.segments.map { PageFileLayout.name(of: $0.number) })
        node = try pages.node(checkpoint)
      }
      for kept in retained { #expect(try pages.node(kept.checkpoint).streams(kept.text), "round \(round)") }
    }
    #expect(removedCount > 10)
    #expect(PageCheckpoint.isReadable(retained[0].checkpoint))
  }

  @Test("a segment that another process reads stays until it has ended, also over a reopening")
  func locked() throws {
    let folder = PageFolder()
    var pages = try folder.open()
    let node = Node.empty.replacing(Path("a"), with: Node(.int(1)))
    _ = try pages.save(node)
    pages.writer.updateSink { $0.seal() }
    let checkpoint = try pages.save(Node.empty.replacing(Path("a"), with: Node(.int(2))))
    var reader = try PageFolderLock.forReading(folder.path)
    #expect(reader != nil)
    pages.files.release([0])
    #expect(try pages.files.removeReleased(erasing: true) == nil && pages.files.hasReleased)
    #expect(folder.names.count == 2)
    pages.files.close()
    let extent = pages.files.extent
    #expect(extent.segments.map(\.number) == [1] && extent != checkpoint.extent)
    pages = try folder.open(extent)
    #expect(folder.names.count == 2 && pages.files.hasReleased)
    let other = folder.path + ".linked"
    defer { try? FileManager.default.removeItem(atPath: other) }
    try FileManager.default.linkItem(atPath: folder.path(of: 0), toPath: other)
    withExtendedLifetime(reader) {}
    reader = nil
    #expect(try pages.files.removeReleased(erasing: true) ?? 0 > 0)
    #expect(folder.names == ["00000001.seg"])
    let bytes = try Data(contentsOf: URL(filePath: other))
    #expect(!bytes.isEmpty && bytes.allSatisfy { $0 == 0 }, "the bytes are overwritten before the file is removed")
  }
}

extension PageCheckpoint {
  /// Returns true when the bytes of a checkpoint are read as the same one.
  fileprivate static func isReadable(_ checkpoint: PageCheckpoint) -> Bool {
    (try? PageCheckpoint(checkpoint.bytes, layout: PageFolder.layout)) == checkpoint
  }
}
