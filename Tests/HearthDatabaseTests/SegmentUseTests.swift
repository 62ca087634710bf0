import HearthPages
import Testing

@testable import HearthDatabase

/// Tests of the choice of segments to clean.
@Suite struct SegmentUseTests {
  private static let mebibyte = 1 << 20

  /// Returns segments of 64 MiB with these live bytes, in MiB.
  private func use(_ live: [Int]) -> (use: SegmentUse, segments: [PageFileExtent.Segment], fileBytes: Int) {
    var use = SegmentUse()
    for (number, live) in live.enumerated() where live > 0 { use.add(live * Self.mebibyte, in: number) }
    let segments = live.indices.map {
      PageFileExtent.Segment(number: $0, nonce: 1, sizeBytes: 64 << 20, recordBytes: 63 << 20)
    }
    return (use, segments, live.count * 64 << 20)
  }

  @Test("the emptiest segments come first, until a round stores enough again")
  func order() {
    let (use, segments, fileBytes) = use([60, 40, 10, 0, 30, 20, 63, 63])
    #expect(use.totalBytes == 286 << 20)
    #expect(use.closing(segments, for: .due, fileBytes: fileBytes) == [3, 2, 5, 4])
    #expect(use.closing(segments, for: .all, fileBytes: fileBytes) == [3, 2, 5, 4])
    #expect(use.closing(Array(segments.prefix(2)), for: .all, fileBytes: fileBytes) == [1])
    #expect(use.closing(Array(segments.prefix(1)), for: .all, fileBytes: fileBytes) == [0])
  }

  @Test("cleaning that is due ends when few bytes are dead, and on order when none is")
  func ends() {
    let (use, segments, fileBytes) = use([50, 55, 62, 63])
    #expect(use.closing(segments, for: .due, fileBytes: fileBytes).isEmpty)
    #expect(use.closing(segments, for: .all, fileBytes: fileBytes) == [0])
    #expect(use.closing(Array(segments.dropFirst(2)), for: .due, fileBytes: fileBytes).isEmpty)
    #expect(use.closing(Array(segments.dropFirst(2)), for: .erasing, fileBytes: fileBytes) == [2])
    #expect(use.closing(Array(segments.dropFirst(3)), for: .erasing, fileBytes: fileBytes).isEmpty)
  }
}
