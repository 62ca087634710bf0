import Foundation
import HearthProgram
import HearthSystem
import RandomTestKit

@testable import HearthCrypto

/// The writers of small files.
enum FileWriterKind: CaseIterable {
  case wholeFile, textFile, privateFolder

  /// Replaces the file's bytes.
  func write(_ bytes: [UInt8], _ folder: String) throws {
    switch self {
    case .wholeFile: try AtomicFile(folder: folder, name: "file").write(bytes)
    case .textFile: try TextFile.replace(folder + "/file", bytes, mode: 0o600)
    case .privateFolder:
      try PrivateFolder(path: folder, createsMissing: true).replace(
        "file", with: String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Returns the file's bytes, or nil when there is no file.
  func read(_ folder: String) throws -> [UInt8]? {
    switch self {
    case .wholeFile: try AtomicFile(folder: folder, name: "file").read(bytesMax: 1 << 20)
    case .textFile:
      FileManager.default.fileExists(atPath: folder + "/file") ? Array(try TextFile.read(folder + "/file").utf8) : nil
    case .privateFolder:
      try PrivateFolder(path: folder, createsMissing: false).existing("file") { $0 }.map { Array($0.utf8) }
    }
  }
}

/// A file that is replaced repeatedly on a disk that fails and loses power.
struct FileMatrix {
  private static let versionCount: Int64 = 4

  private let writer: FileWriterKind
  private let images: Int
  /// The distance between tested calls that may fail.
  private let stride: Int
  private var random: SeededRandom
  private let folder: DiskFolder
  private let other: DiskFolder
  private(set) var imageCount = 0
  private(set) var problems: [String] = []
  /// True when calls cannot be watched on this system.
  private(set) var isImpossible = false

  init(_ writer: FileWriterKind, images: Int, stride: Int, seed: UInt64) throws {
    (self.writer, self.images, self.stride) = (writer, images, stride)
    random = SeededRandom(seed: seed)
    (folder, other) = (try DiskFolder(), try DiskFolder())
  }

  /// Returns the file's content in a version; version 0 is no file.
  private static func content(_ version: Int64) -> [UInt8]? {
    version == 0 ? nil : Array("\(version) ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 700 * Int(version))
  }

  mutating func losePower() throws { try run(nil, at: 0) }

  mutating func fail(_ fault: WatchedDisk.Fault) throws {
    var number = random.below(stride)
    while try run(fault, at: number) { number += stride }
  }

  /// Runs once.
  ///
  /// - Returns: True when the fault happened.
  @discardableResult
  private mutating func run(_ fault: WatchedDisk.Fault?, at number: Int) throws -> Bool {
    try folder.replaceContents([:], of: folder.path)
    let (writer, folderPath) = (writer, folder.path)
    var problems: [String] = []
    let disk = WatchedDisk.watch(folderPath, fault, at: number) { disk in
      for version in 1...Self.versionCount {
        do {
          try writer.write(Self.content(version) ?? [], folderPath)
          disk.promise(version)
        } catch {
          // This version was not acknowledged and may be there or not; the next one is written in any case.
        }
        let found = try? writer.read(folderPath)
        let isWhole = (0...version).contains { found == Self.content($0) }
        if let found, !isWhole { problems.append("version \(version): something else is read, \(found.count) bytes") }
      }
    }
    guard let disk else {
      isImpossible = true
      return false
    }
    let place = fault.map { "\($0.rawValue) \(number)" } ?? "no fault"
    self.problems += problems.map { "\(place): \($0)" }
    guard fault == nil || disk.didHappen else { return false }
    var loss = PowerLoss(seed: random.next())
    for (number, event) in disk.events.enumerated() {
      loss.follow(event)
      for image in loss.images(images, &random) {
        imageCount += 1
        let found = image[folderPath + "/file"]
        let version = (0...Self.versionCount).first { Self.content($0) == found }
        guard version == nil || version! < loss.promised else { continue }
        self.problems.append(
          "\(place), the power goes after \(number + 1) of \(disk.events.count): "
            + (version.map { "version \($0) is there, and \(loss.promised) was promised" } ?? "the file is torn"))
      }
    }
    return fault != nil
  }
}
