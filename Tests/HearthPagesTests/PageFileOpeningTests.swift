import Foundation
import HearthSystem
import HearthTree
import RandomTestKit
import Testing

@testable import HearthPages

/// Tests of page files that are opened with the extent of a checkpoint.
@Suite struct PageFileOpeningTests {
  /// A folder with several segments, its checkpoint and its content.
  private func folder(_ seed: UInt64 = 1) throws -> (folder: PageFolder, checkpoint: PageCheckpoint, text: [UInt8]) {
    var (random, model) = (SeededRandom(seed: seed), RoomModel())
    let folder = PageFolder()
    var pages = try folder.open(seed: seed)
    let checkpoint = try pages.save(Node.empty.replacing(model.change(5_000, &random)))
    pages.files.close()
    #expect(checkpoint.extent.segments.count > 2)
    return (folder, checkpoint, model.node.json(.export))
  }

  private func error(_ folder: PageFolder, _ extent: PageFileExtent) -> PageError? {
    do {
      _ = try folder.open(extent)
    } catch {
      return error as? PageError
    }
    return nil
  }

  @Test func `What is behind the end of a checkpoint is removed, and the same addresses are written again`() throws {
    let (folder, checkpoint, text) = try folder()
    var random = SeededRandom(seed: 9)
    var model = RoomModel()
    // Later records, valid and durable, which no checkpoint names.
    var pages = try folder.open(checkpoint.extent)
    _ = try pages.save(Node.empty.replacing(model.change(5_000, &random)))
    let last = try #require(checkpoint.extent.segments.last)
    #expect(folder.names.count > checkpoint.extent.segments.count)
    #expect(try folder.bytes(of: last.number).count > last.sizeBytes)
    let tail = try folder.bytes(of: last.number)[last.sizeBytes...]
    pages = try folder.open(checkpoint.extent)
    #expect(folder.names.count == checkpoint.extent.segments.count)
    #expect(try folder.bytes(of: last.number).count == last.sizeBytes)
    #expect(try pages.node(checkpoint).streams(text))
    // The old tail comes back behind shorter new data: its records are not the ones that are looked for.
    let second = try pages.save(Node.empty.replacing("n", with: Node(.int(1))))
    try folder.change(last.number) { $0 += tail }
    pages = try folder.open(second.extent)
    #expect(try pages.node(second).streamed.failedCount == 0)
    let third = try pages.save(Node.empty.replacing(model.change(5_000, &random)))
    #expect(try pages.node(second).child("n").scalar == .int(1))
    #expect(try pages.node(third).streamed.failedCount == 0)
    #expect(try pages.node(checkpoint).streams(text))
  }

  @Test func `Without a checkpoint all segments are removed, and other files stay`() throws {
    let (folder, _, _) = try folder()
    for name in ["notes.txt", "1.seg", "00000001.seg.old"] {
      try Data("text".utf8).write(to: URL(filePath: folder.path + "/" + name))
    }
    var pages = try folder.open()
    #expect(folder.names == ["00000001.seg.old", "1.seg", "notes.txt"])
    let checkpoint = try pages.save(Node(.int(5)))
    #expect(checkpoint.extent.segments.map(\.number) == [0] && folder.names.first == "00000000.seg")
  }

  @Test func `A full segment is continued by a new one`() throws {
    let folder = PageFolder()
    var pages = try folder.open()
    var sink = PageFileWriter(pages.files, store: pages.store, makeNonce: { 5 })
    let layout = PageFolder.layout
    // Records that fill the segment to its last byte.
    let rest = (layout.pieceSizeBytes - SegmentHeader.sizeBytes) / 2
    var sizes = [rest, rest]
    for _ in 0..<(layout.segmentSizeBytes / layout.pieceSizeBytes - 1) { sizes += [32_768, 32_768] }
    for size in sizes { _ = try sink.append(sizeBytes: size) { record, _ in record[0] = 1 } }
    try sink.sync()
    #expect(pages.files.extent.endAddress == layout.segmentSizeBytes)
    #expect(try folder.bytes(of: 0).count == layout.segmentSizeBytes)
    pages = try folder.open(pages.files.extent)
    let checkpoint = try pages.save(Node.empty.replacing("n", with: Node(.int(1))))
    #expect(checkpoint.extent.segments.map(\.number) == [0, 1] && folder.names.count == 2)
    #expect(try PageCheckpoint(checkpoint.bytes, layout: layout) == checkpoint)
    #expect(try pages.node(checkpoint).child("n").scalar == .int(1))
  }

  @Test func `A file that is missing, short, foreign or damaged is refused by name, and nothing is removed`() throws {
    let (folder, checkpoint, text) = try folder()
    let (other, _, _) = try self.folder(2)
    let extent = checkpoint.extent
    try Data("later".utf8).write(to: URL(filePath: folder.path(of: 4_711)))
    for segment in extent.segments {
      let (path, bytes) = (folder.path(of: segment.number), try folder.bytes(of: segment.number))
      func refusal() -> PageError? {
        let error = error(folder, extent)
        #expect(error?.file == path && error?.finding.contains("backup") == true)
        #expect(folder.names.contains("00004711.seg"))
        return error
      }
      try FileManager.default.removeItem(atPath: path)
      #expect(refusal()?.code == .missing)
      try folder.write(Array(bytes.dropLast(16)), to: segment.number)
      #expect(refusal()?.code == .missing)
      try folder.write(Array(bytes.prefix(100)), to: segment.number)
      #expect(refusal()?.code == .missing)
      try folder.write(
        SegmentHeader(number: UInt64(segment.number), nonce: 1).bytes + bytes.dropFirst(4_096), to: segment.number)
      #expect(refusal()?.code == .foreign)
      try folder.write(try other.bytes(of: 1), to: segment.number)
      #expect(refusal()?.code == .foreign)
      for bit in [0, 63, 64, 130, 191, 192, 4_000 * 8, 4_088 * 8, 4_095 * 8 + 7] {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        try folder.write(damaged, to: segment.number)
        #expect(refusal()?.code == .damaged, "bit \(bit)")
      }
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other.path(of: 0))
      #expect(error(folder, extent)?.file == path)
      try FileManager.default.removeItem(atPath: path)
      try folder.write(bytes, to: segment.number)
    }
    let pages = try folder.open(extent)
    #expect(try pages.node(checkpoint).streams(text) && folder.names.count == extent.segments.count)
  }

  @Test func `Page files on a network file system are refused`() throws {
    let folder = PageFolder()
    let mount = Mount(device: "0:1", list: "1 2 0:1 / /mnt rw - nfs4 server:/x rw")
    #expect {
      try folder.open(mount: mount)
    } throws: {
      ($0 as? PageError)?.code == .unsupported && "\($0)".contains("nfs4")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func `A database has as many segments as its addresses allow`() throws {
    let (folder, layout) = (PageFolder(), PageFolder.layout)
    let end = PageFileLimits.segmentsMax * layout.segmentSizeBytes
    var pages = try folder.open(PageFileExtent(endAddress: end - layout.segmentSizeBytes, segments: []))
    let stored = try pages.writer.write(Node(.int(1)))
    try pages.writer.commit()
    #expect(try stored.open().scalar == .int(1) && folder.names == ["00131071.seg"])
    #expect {
      _ = try pages.writer.write(Node(.string(String(repeating: "x", count: layout.segmentSizeBytes))))
    } throws: {
      ($0 as? PageError)?.code == .noSpace
    }
    pages.writer.discard()
    #expect(try pages.save(Node(.int(2))).extent.segments.count == 1)
  }
}
