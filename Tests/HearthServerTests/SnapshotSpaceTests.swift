import Testing

@testable import HearthServer

/// Tests of the division of disk space for snapshots among several databases.
@Suite struct SnapshotSpaceTests {
  @Test("with enough space each database gets its need and a share of the rest")
  func enough() {
    #expect(SnapshotSpace.shares(of: 1_000, needs: [100, 0, 300]) == [300, 200, 500])
    #expect(SnapshotSpace.shares(of: 1_000, needs: [0]) == [1_000])
    #expect(SnapshotSpace.shares(of: .max, needs: [5]) == [.max])
  }

  @Test("without enough space the smallest needs come first, within the total")
  func short() {
    #expect(SnapshotSpace.shares(of: 450, needs: [400, 100, 300]) == [50, 100, 300])
    #expect(SnapshotSpace.shares(of: 0, needs: [400, 0]) == [0, 0])
    #expect(SnapshotSpace.shares(of: -7, needs: [400, 0]) == [0, 0])
    #expect(SnapshotSpace.shares(of: 10, needs: []) == [])
  }
}
