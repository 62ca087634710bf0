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

/// Tests of segments that only older checkpoints name.
@Suite struct RetainedSegmentTests {
  @Test(
    "segments that older checkpoints name stay readable over a reopening, and what nothing refers to is overwritten")
  func retained() throws {
    let folder = PageFolder()
    var (pages, random, model) = (try folder.open(), SeededRandom(seed: 9), RoomModel())
    _ = model.change(600, &random)
    let secret = "a secret that is deleted"
    _ = try pages.save(model.node.replacing(Path("secret"), with: Node(.string(secret))))
    let (old, text) = (try pages.save(model.node), model.node.json(.export))
    pages.writer.updateSink { $0.seal() }
    let newest = try pages.save(Node.empty.replacing(Path("a"), with: Node(.int(2))))
    #expect(newest.extent.segments.count > old.extent.segments.count)
    let numbers = Set(old.extent.segments.map(\.number))
    pages.files.release(numbers)
    let extent = pages.files.extent
    #expect(try pages.files.removeReleased(keeping: numbers, erasing: true) == 0)
    #expect(pages.files.releasedBytes >= old.extent.segments.reduce(0) { $0 + $1.sizeBytes })
    pages.files.close()
    pages = try folder.open(extent, retained: old.extent.segments)
    #expect(pages.files.releasedNumbers == numbers.sorted())
    #expect(try pages.node(old).streams(text))
    let live = LiveRecords(in: pages.files)
    var (newCount, knownCount) = (0, 0)
    var scanner = StoredNodeScanner { location in
      if live.insert(location) { newCount += 1 } else { knownCount += 1 }
      return false
    } isKnown: {
      live.contains($0)
    } move: { _ in
    }
    try scanner.scan(try pages.node(old))
    #expect(newCount > 10 && knownCount == 0)
    let count = newCount
    try scanner.scan(try pages.node(old))
    #expect(newCount == count && knownCount < count / 4)
    var reader = try PageFolderLock.forReading(folder.path)
    #expect(try reader != nil && !pages.files.eraseGaps(in: numbers.sorted()[0], around: live))
    func isFound() throws -> Bool {
      try numbers.contains { Data(try folder.bytes(of: $0)).range(of: Data(secret.utf8)) != nil }
    }
    #expect(try isFound())
    withExtendedLifetime(reader) {}
    reader = nil
    for number in numbers { #expect(try pages.files.eraseGaps(in: number, around: live)) }
    #expect(try !isFound() && pages.node(old).streams(text))
  }

  @Test("nothing is removed before the end when an older checkpoint cannot be read")
  func unknown() throws {
    let folder = PageFolder()
    var pages = try folder.open()
    _ = try pages.save(Node.empty.replacing(Path("a"), with: Node(.int(1))))
    pages.writer.updateSink { $0.seal() }
    let newest = try pages.save(Node.empty.replacing(Path("a"), with: Node(.int(2))))
    pages.files.release([0])
    let extent = pages.files.extent
    pages.files.close()
    pages = try folder.open(extent, retained: nil)
    #expect(pages.files.releasedNumbers == [0] && newest.extent.segments.count == 2)
    #expect(try pages.files.removeReleased(erasing: false) ?? 0 > 0)
  }
}

extension PageCheckpoint {
  /// Returns true when the bytes of a checkpoint are read as the same one.
  fileprivate static func isReadable(_ checkpoint: PageCheckpoint) -> Bool {
    (try? PageCheckpoint(checkpoint.bytes, layout: PageFolder.layout)) == checkpoint
  }
}
