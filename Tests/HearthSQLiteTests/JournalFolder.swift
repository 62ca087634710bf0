import Foundation

/// A temporary folder that is removed at the end of the test.
final class JournalFolder {
  let path: String

  init() throws {
    // In memory if possible, because these tests check written data, not the speed of a disk.
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    path = parent + "/hearth-journal-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a journal in the folder.
  func file(_ name: String = "main.journal") -> String { path + "/" + name }

  /// The bytes of a file.
  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name)))) }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  /// Copies a file if it exists, and removes files of an earlier copy with that name.
  func copy(_ source: String, to target: String) throws {
    guard exists(source) else { return }
    for old in [target, target + ".mark"] { try? FileManager.default.removeItem(atPath: file(old)) }
    try FileManager.default.copyItem(atPath: file(source), toPath: file(target))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: file(name))
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }
}
