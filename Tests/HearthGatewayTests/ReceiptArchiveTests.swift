import Foundation
import HearthTree
import Logging
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// Tests of the receipts on disk.
@Suite struct ReceiptArchiveTests {
  private let folder: TemporaryFolder
  private let log = LogRecorder()

  init() throws { folder = try TemporaryFolder() }

  private func archive() throws -> ReceiptArchive {
    let log = log
    return try ReceiptArchive(dataDirectory: folder.path, logger: Logger(label: "test") { _ in log })
  }

  private func line(_ id: Int) -> [UInt8] { Array(#"{"id":\#(id),"database":"d","revocation":{"number":4}}"#.utf8) }

  private var ids: [Int64] { ReceiptFile.read(dataDirectory: folder.path).compactMap { $0["id"]?.int } }

  @Test("receipts are read again after a restart, and the file is readable by its owner alone")
  func reopened() throws {
    let first = try archive()
    for id in 1...3 { first.append(line(id), limits: .standard) }
    first.close()
    let second = try archive()
    let entries = second.tail(limits: .standard)
    #expect(entries.map(\.id) == [1, 2, 3] && entries.allSatisfy { $0.database == "d" && $0.revocation == 4 })
    second.append(line(4), limits: .standard)
    second.close()
    #expect(ids == [1, 2, 3, 4])
    let path = folder.path + "/" + ReceiptFile.name
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test("a line that a crash cut anywhere is skipped, and the lines after it are intact")
  func torn() throws {
    let whole = line(2)
    for length in 0...whole.count {
      let path = folder.path + "/" + ReceiptFile.name
      try Data(line(1) + [UInt8(ascii: "\n")] + whole.prefix(length)).write(to: URL(filePath: path))
      let archive = try archive()
      archive.append(line(3), limits: .standard)
      archive.close()
      #expect(ids == (length == whole.count ? [1, 2, 3] : [1, 3]), "cut after \(length) bytes")
    }
  }

  @Test("the files stay within their limit; the newest receipts stay")
  func rotation() throws {
    var limits = ReceiptLimits()
    limits.fileBytesMax = 1_000
    let archive = try archive()
    for id in 1...200 { archive.append(line(id), limits: limits) }
    archive.close()
    #expect(ids.last == 200 && ids.first ?? 0 > 150 && ids == Array((ids.first ?? 0)...200))
    for name in [ReceiptFile.name, ReceiptFile.previousName] {
      let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.size] as? Int
      #expect(size ?? .max <= 1_000)
    }
    #expect(ReceiptFile.read(dataDirectory: folder.path, sizeBytesMax: 300).compactMap { $0["id"]?.int }.last == 200)
  }

  @Test("receipt numbers continue after a restart, beyond those lost by a crash")
  func numbers() throws {
    let first = try archive()
    first.append(line(9), limits: .standard)
    first.close()
    let receiptStore = ReceiptStore(archive: try archive())
    let round = receiptStore.begin(.legacySecret, event: .keyRotated, loopCount: 1)
    #expect(round.number > 4 + UInt64(ReceiptLimits.standard.waitingMax))
    round.reviewed(endedCount: 0)
    receiptStore.close()
    #expect(ids.count == 2 && ids[0] == 9 && ids[1] > 9 + Int64(ReceiptLimits.standard.waitingMax))
    #expect(receiptStore.page(ReceiptFilter()).lastID == UInt64(ids[1]))
  }

  @Test("a full disk loses receipts of the archive, with one log entry")
  func fullDisk() throws {
    let archive = try archive()
    archive.close()
    for id in 1...3 { archive.append(line(id), limits: .standard) }
    #expect(ids.isEmpty && log.lines.filter { $0.contains("receipts cannot be written") }.count == 1)
  }

  @Test("a symbolic link in place of the file is not followed")
  func link() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/" + ReceiptFile.name, withDestinationPath: folder.path + "/elsewhere")
    #expect(throws: ReceiptArchive.Failure.self) { try archive() }
  }
}
