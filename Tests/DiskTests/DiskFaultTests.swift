import RandomTestKit
import Testing

/// Disks that are full, that fail, and that lose what was not synced when the power goes: what was acknowledged is there
/// after it, what was refused is not, and every file opens.
@Suite(.serialized) struct DiskFaultTests {
  private static let extent =
    Torture.isOn
    ? JournalMatrix.Extent(images: 40, pointStride: 1, callStride: 1)
    : JournalMatrix.Extent(images: 4, pointStride: 16, callStride: 110)

  @Test("a journal opens with all that was acknowledged, wherever the power goes and whatever the disk kept")
  func journalWithoutPower() throws {
    var matrix = try JournalMatrix(Self.extent, seed: 1)
    try matrix.losePower()
    guard !matrix.isImpossible else { return }
    #expect(matrix.problems.isEmpty, "\(matrix.problems.prefix(5).joined(separator: "\n"))")
    #expect(matrix.imageCount > 30)
    Torture.report("\(matrix.imageCount) disks after a power loss: \(matrix.problems.count) problems")
  }

  @Test("a journal on a disk that fails refuses what it cannot store, and loses nothing")
  func journalOnFailingDisk() throws {
    var matrix = try JournalMatrix(Self.extent, seed: 2)
    for fault in WatchedDisk.Fault.allCases { try matrix.fail(fault) }
    guard !matrix.isImpossible else { return }
    #expect(matrix.problems.isEmpty, "\(matrix.problems.prefix(5).joined(separator: "\n"))")
    #expect(matrix.imageCount > 30)
    Torture.report("\(matrix.table.text)\n\(matrix.imageCount) disks, \(matrix.problems.count) problems")
  }

  @Test("a file that is replaced whole is the former one or the new one, and the new one once that was said")
  func wholeFiles() throws {
    for writer in FileWriterKind.allCases {
      var matrix = try FileMatrix(
        writer, images: Torture.count(sample: 4, full: 200), stride: Torture.count(sample: 4, full: 1), seed: 3)
      try matrix.losePower()
      for fault in WatchedDisk.Fault.allCases { try matrix.fail(fault) }
      #expect(matrix.problems.isEmpty, "\(writer): \(matrix.problems.prefix(5).joined(separator: "\n"))")
      #expect(matrix.isImpossible || matrix.imageCount > 20)
      Torture.report("\(writer): \(matrix.imageCount) disks, \(matrix.problems.count) problems")
    }
  }
}
