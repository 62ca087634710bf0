/// What a folder of backups asks of the file system, in steps small enough that a test can end the world between any two
/// of them.
///
/// Calls block. A file's bytes are durable after ``synchronize(_:)`` on it; its name, or that it is gone, after
/// ``synchronizeFolder(_:)`` on its folder.
public protocol FileLayer: Sendable {
  /// Makes a folder for its owner alone. One that is there stays as it is.
  func makeFolder(_ path: String) throws(BackupError)

  /// What is in a folder, in no order; nothing when there is none.
  func names(in path: String) throws(BackupError) -> [String]

  /// A whole file; nil when there is none.
  ///
  /// - Throws: `.tooLarge` when it has more bytes than that.
  func read(_ path: String, sizeBytesMax: Int) throws(BackupError) -> [UInt8]?

  /// A new file for its owner alone, in the place of one that is there.
  func create(_ path: String, _ bytes: [UInt8]) throws(BackupError)

  /// Makes a file's bytes durable.
  func synchronize(_ path: String) throws(BackupError)

  /// Gives a file another name in its folder, in the place of one that has it.
  func rename(_ path: String, to other: String) throws(BackupError)

  /// Makes the names in a folder durable.
  func synchronizeFolder(_ path: String) throws(BackupError)

  /// Removes a file, if it is there.
  func remove(_ path: String) throws(BackupError)

  /// Takes the lock that a file stands for, without waiting. It lasts as long as what is returned, or the process.
  ///
  /// - Parameter isShared: others may have it too, if theirs is shared.
  /// - Returns: nil when somebody else has it.
  func lock(_ path: String, isShared: Bool) throws(BackupError) -> (any FileLock)?
}

/// A lock that is held.
public protocol FileLock: AnyObject, Sendable {}
