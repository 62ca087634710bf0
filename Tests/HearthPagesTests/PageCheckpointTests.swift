import HearthBytes
import HearthTree
import RandomTestKit
import Testing

@testable import HearthPages

/// Tests of the bytes of checkpoints and headers.
@Suite struct PageCheckpointTests {
  private static let sample = PageCheckpoint(
    root: .empty, sessions: .empty, settings: .empty,
    extent: PageFileExtent(
      endAddress: 18 << 26 | 8_192,
      segments: [
        PageFileExtent.Segment(number: 3, nonce: .max, sizeBytes: 64 << 20, recordBytes: 5_000),
        PageFileExtent.Segment(number: 17, nonce: 2, sizeBytes: 50 << 20, recordBytes: 50 << 20 - 4_096),
        PageFileExtent.Segment(number: 18, nonce: 3, sizeBytes: 8_192, recordBytes: 4_096),
      ]))

  @Test func `A checkpoint is read as it was written, with its documented layout`() throws {
    let bytes = Self.sample.bytes
    #expect(try PageCheckpoint(bytes) == Self.sample)
    #expect(bytes.count == 1 + 3 * 5 + 8 + 4 + 3 * 20)
    #expect(bytes.prefix(16) == [1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    var empty = Self.sample
    empty.extent = .empty
    #expect(try PageCheckpoint(empty.bytes).extent == .empty)
  }

  @Test func `A checkpoint of a newer version is refused`() {
    for bytes: [UInt8] in [[], [0], [2] + Self.sample.bytes.dropFirst()] {
      #expect {
        try PageCheckpoint(bytes)
      } throws: {
        ($0 as? PageError)?.code == .unsupported
      }
    }
  }

  @Test func `An extent that contradicts itself is refused`() {
    func isRefused(_ change: (inout PageFileExtent) -> Void) -> Bool {
      var sample = Self.sample
      change(&sample.extent)
      return (try? PageCheckpoint(sample.bytes)) == nil
    }
    #expect(!isRefused { _ in })
    #expect(isRefused { $0.segments.swapAt(0, 1) })
    #expect(isRefused { $0.segments[1].number = 3 })
    #expect(isRefused { $0.segments[2].number = 19 })
    #expect(isRefused { $0.segments.removeLast() })
    #expect(isRefused { $0.segments[2].sizeBytes = 8_128 })
    #expect(isRefused { $0.segments[0].sizeBytes = 64 << 20 + 64 })
    #expect(isRefused { $0.segments[0].sizeBytes = 4_032 })
    #expect(isRefused { $0.segments[1].sizeBytes += 16 })
    #expect(isRefused { $0.segments[1].recordBytes = 50 << 20 + 1 })
    #expect(isRefused { $0.endAddress += 16 })
    #expect(isRefused { $0.endAddress = PageLocation.addressEnd + 64 })
    #expect(isRefused { $0.endAddress = .max })
  }

  @Test func `Wrong bytes of a checkpoint end in an error or in an extent that can be opened`() {
    var random = SeededRandom(seed: 6)
    let bytes = Self.sample.bytes
    for _ in 0..<Torture.count(sample: 4_000, full: 1_000_000) {
      var damaged = bytes
      for _ in 0..<(1 + random.below(3)) { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
      if random.chance(30) { damaged.removeLast(random.below(damaged.count)) }
      if random.chance(10) { damaged += bytes.prefix(random.below(bytes.count)) }
      guard let checkpoint = try? PageCheckpoint(damaged) else { continue }
      #expect(checkpoint.bytes == damaged)
      #expect(checkpoint.extent.segments.allSatisfy { $0.number < PageFileLimits.segmentsMax })
    }
  }

  @Test func `A header is read as it was written, and a change of any byte is found`() throws {
    let header = SegmentHeader(number: 17, nonce: 0x1234_5678_9ABC_DEF0)
    let bytes = header.bytes
    #expect(bytes.count == SegmentHeader.sizeBytes && bytes.prefix(8) == Array("HearthP1".utf8)[...])
    #expect(bytes[8..<24] == [17, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0xDE, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12])
    #expect(bytes[24..<4_088].allSatisfy { $0 == 0 })
    #expect(try SegmentHeader(bytes) == header)
    for place in Array(0..<40) + Array(stride(from: 40, to: 4_096, by: 61)) + [4_095] {
      var damaged = bytes
      damaged[place] ^= 0x20
      #expect(throws: PageError.self) { try SegmentHeader(damaged) }
    }
    #expect(throws: PageError.self) { try SegmentHeader(Array(bytes.dropLast())) }
  }

  @Test func `Names of segment files are those of their numbers`() {
    #expect(PageFileLayout.name(of: 17) == "00000017.seg" && PageFileLayout.number(ofName: "00000017.seg") == 17)
    #expect(PageFileLayout.number(ofName: PageFileLayout.name(of: 123_456_789)) == 123_456_789)
    for name in [
      "17.seg", "0000017.seg", "+0000017.seg", "-0000017.seg", "00000017", "00000017.seg ", ".seg", "0000001x.seg",
    ] {
      #expect(PageFileLayout.number(ofName: name) == nil)
    }
    #expect(PageFileLimits.segmentsMax * PageFileLimits.segmentSizeBytesMax == PageLocation.addressEnd)
  }
}
