/// What went wrong with a backup: a closed code, a sentence for the operator with what to do, and the file.
public struct BackupError: Error, Sendable, CustomStringConvertible {
  /// The closed list of codes.
  public enum Code: String, Sendable, CaseIterable {
    /// The folder or stream holds no backups.
    case notBackups = "not-backups"
    /// It was written by a newer version.
    case unsupportedFormat = "unsupported-format"
    /// What was read is not what was written.
    case damaged = "damaged"
    /// Another process writes backups there, or removes some.
    case busy = "busy"
    /// Reading or writing a file failed.
    case inputOutput = "input-output"
    /// The disk is full.
    case noSpace = "no-space"
    /// The place is taken.
    case notEmpty = "not-empty"
    /// No backup holds the wanted moment.
    case notCovered = "not-covered"
    /// A passphrase is missing or wrong.
    case passphrase = "passphrase"
    /// The data folder cannot be read as it is.
    case source = "source"
    /// Something is over its limit.
    case tooLarge = "too-large"
  }

  /// Which of the list it is.
  public var code: Code
  /// What is wrong and what can be done, without a final full stop. No secret is in it.
  public var message: String
  /// The file, where there is one.
  public var path: String?

  /// An error with words for an operator.
  public init(_ code: Code, _ message: String, path: String? = nil) {
    self.code = code
    self.message = message
    self.path = path
  }

  public var description: String { message + (path.map { " [file \($0)]" } ?? "") }
}
