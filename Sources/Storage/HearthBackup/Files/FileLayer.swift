/// The file operations on a folder of backups, as steps between which a test can simulate a crash.
///
/// Calls block. A file's bytes are durable after ``synchronize(_:)`` on it; its name, or its removal, after
/// ``synchronizeFolder(_:)`` on its folder.
public protocol FileLayer: Sendable {
  /// Creates a folder that only its owner can access. An existing folder is left unchanged.
  func makeFolder(_ path: String) throws(BackupError)

  /// Returns the names in a folder, in no order; empty when the folder is missing.
  func names(in path: String) throws(BackupError) -> [String]

  /// Reads a whole file; nil when it is missing.
  ///
  /// - Throws: `.tooLarge` when it exceeds the limit.
  func read(_ path: String, sizeBytesMax: Int) throws(BackupError) -> [UInt8]?

  /// Creates a file that only its owner can access, replacing an existing one.
  func create(_ path: String, _ bytes: [UInt8]) throws(BackupError)

  /// Makes a file's bytes durable.
  func synchronize(_ path: String) throws(BackupError)

  /// Renames a file within its folder, replacing a file of that name.
  func rename(_ path: String, to other: String) throws(BackupError)

  /// Makes the names in a folder durable.
  func synchronizeFolder(_ path: String) throws(BackupError)

  /// Removes a file, if it exists.
  func remove(_ path: String) throws(BackupError)

  /// Takes a file's lock without waiting. The lock lasts as long as the returned object, or the process.
  ///
  /// - Parameter isShared: True for a lock that other shared locks may coexist with.
  /// - Returns: nil when another holder has the lock.
  func lock(_ path: String, isShared: Bool) throws(BackupError) -> (any FileLock)?
}

/// A held lock.
public protocol FileLock: AnyObject, Sendable {}
