/// The reason why a key store could not be opened or written. Two errors are equal when their codes and paths are.
public struct KeyStoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The folder or one of its files does not exist, and the caller did not allow creating it.
    case missing = "missing"
    /// The file's mode lets other users read or write it.
    case readableByOthers = "readable_by_others"
    /// The file has another owner.
    case foreignOwner = "foreign_owner"
    /// The path is not a file (or not a folder, where one is needed).
    case notAFile = "not_a_file"
    /// The content is not in the server's format.
    case damaged = "damaged"
    /// The system refused a read or a write; the message has its reason.
    case inputOutput = "input_output"
    /// A key or secret could not be created, because the system provides no random bytes.
    case noRandomness = "no_randomness"
    /// No key has the given ID, or it is the only one.
    case unknownKey = "unknown_key"
    /// Another thread is still creating the keys.
    case unfinished = "unfinished"
    /// The shared copy is sealed with another key than this server's.
    case foreignSealingKey = "foreign_sealing_key"
  }

  /// The kind of failure; errors are compared by code and path.
  public var code: Code
  /// The file or folder concerned.
  public var path: String
  /// The fault and its remedy.
  public var message: String

  public var description: String { "\(path): \(message)" }

  static func missing(path: String) -> KeyStoreError {
    KeyStoreError(code: .missing, path: path, message: "missing; start the server once to create it")
  }
  static func readableByOthers(path: String, mode: UInt32, wanted: String) -> KeyStoreError {
    KeyStoreError(
      code: .readableByOthers, path: path,
      message: "accessible to other users (mode \(String(mode, radix: 8))). "
        + "Run: chmod \(wanted) '\(path)'. If other users may have read it, delete it so that the server creates a new one"
    )
  }
  static func foreignOwner(path: String) -> KeyStoreError {
    KeyStoreError(
      code: .foreignOwner, path: path, message: "owned by another user, who could replace it; change its owner")
  }
  static func notAFile(path: String, wanted: String) -> KeyStoreError {
    KeyStoreError(code: .notAFile, path: path, message: "not \(wanted)")
  }
  static func damaged(path: String) -> KeyStoreError {
    KeyStoreError(
      code: .damaged, path: path,
      message: "not in the expected format. Restore it from a backup, or delete it so that the server creates a new one"
    )
  }
  static func inputOutput(path: String, action: String, reason: String) -> KeyStoreError {
    KeyStoreError(code: .inputOutput, path: path, message: "cannot \(action): \(reason)")
  }
  static func noRandomness(path: String) -> KeyStoreError {
    KeyStoreError(code: .noRandomness, path: path, message: "the system's random generator failed")
  }

  static func unfinished(path: String) -> KeyStoreError {
    KeyStoreError(code: .unfinished, path: path, message: "its keys are still being created; try again")
  }

  /// Returns the error for a failure with the servers' shared copy, with the attempted action and the reason for its
  /// failure.
  package static func unshared(path: String, _ what: String, cause: String) -> KeyStoreError {
    KeyStoreError(code: .inputOutput, path: path, message: "\(what): \(cause)")
  }

  static func foreignSealingKey(path: String) -> KeyStoreError {
    KeyStoreError(
      code: .foreignSealingKey, path: path,
      message:
        "the keys that the nodes share are sealed with another sealing key: this folder is not a copy of theirs. "
        + "Move it away and start again with the keys of the nodes' identity folder")
  }

  static func unknownKey(path: String) -> KeyStoreError {
    KeyStoreError(code: .unknownKey, path: path, message: "does not contain this key; list the keys to see their ids")
  }
  static func onlyKey(path: String) -> KeyStoreError {
    KeyStoreError(
      code: .unknownKey, path: path, message: "does not contain this secret, or contains only this one; rotate first"
    )
  }

  public static func == (left: KeyStoreError, right: KeyStoreError) -> Bool {
    left.code == right.code && left.path == right.path
  }
}
