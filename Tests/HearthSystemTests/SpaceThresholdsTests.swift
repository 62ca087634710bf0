import HearthSystem
import Testing

/// Tests of the thresholds for low disk space.
@Suite struct SpaceThresholdsTests {
  private typealias Level = SpaceThresholds.Level

  private func levels(_ available: [Int], _ thresholds: SpaceThresholds, total: Int = 1 << 40) -> [Level] {
    var level = Level.ample
    return available.map { bytes in
      level = thresholds.level(of: FileSystemSpace(availableBytes: bytes, totalBytes: total), after: level)
      return level
    }
  }

  @Test("a level begins below its threshold, and ends when there is an eighth more")
  func comesAndGoes() {
    let thresholds = SpaceThresholds(warnBytes: 800, stopBytes: 80)
    #expect(
      levels([800, 799, 800, 899, 900, 79, 80, 89, 90, 799], thresholds)
        == [.ample, .low, .low, .low, .ample, .scarce, .scarce, .scarce, .low, .low])
    #expect(levels([0, 900], thresholds) == [.scarce, .ample])
  }

  @Test("the standard thresholds are a fraction of a small file system, and bytes of a large one")
  func standard() {
    let standard = SpaceThresholds()
    #expect(standard.warnBytes(totalBytes: 1 << 40) == 1 << 30 && standard.stopBytes(totalBytes: 1 << 40) == 64 << 20)
    #expect(standard.warnBytes(totalBytes: 32 << 20) == 4 << 20 && standard.stopBytes(totalBytes: 32 << 20) == 1 << 20)
    #expect(levels([2 << 20, 1 << 20, 1 << 19], standard, total: 32 << 20) == [.low, .low, .scarce])
  }

  @Test("a disabled threshold never warns, for any numbers")
  func never() {
    #expect(levels([0, 1, .max], .never, total: .max) == [.ample, .ample, .ample])
    #expect(levels([0, 5], SpaceThresholds(warnBytes: .max, stopBytes: 0)) == [.low, .low])
    #expect(levels([5, .max], SpaceThresholds(warnBytes: .max, stopBytes: .max)).first == .scarce)
  }

  @Test("an existing file system has free space, and a missing one has no figure")
  func measured() throws {
    let space = try #require(FileSystemSpace(at: "/"))
    #expect(space.totalBytes > 0 && space.availableBytes <= space.totalBytes)
    #expect(FileSystemSpace(at: "/there/is/no/such/folder") == nil)
  }
}
