import Foundation
import HearthBackup

/// A folder that is removed with the test that made it.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    // In memory if possible, because these tests are about written data, not about the speed of a disk.
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    path = parent + "/hearth-backup-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns a path in the folder.
  func callAsFunction(_ name: String) -> String { path + "/" + name }

  static func write(_ bytes: [UInt8], _ path: String, mode: Int = 0o600) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  static func bytes(_ path: String) -> [UInt8]? {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { [UInt8]($0) }
  }

  static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Returns all files below a folder.
  static func files(_ path: String) -> [String] {
    let names = (FileManager.default.enumerator(atPath: path)?.allObjects as? [String]) ?? []
    return names.map { path + "/" + $0 }.filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }
}
