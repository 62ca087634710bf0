/// A failure of a backup operation: a code from a closed list, a sentence with the remedy for the operator, and the
/// file.
public struct BackupError: Error, Sendable, CustomStringConvertible {
  /// The closed list of codes.
  public enum Code: String, Sendable, CaseIterable {
    /// The folder or stream holds no backups.
    case notBackups = "not-backups"
    /// The format belongs to a newer version.
    case unsupportedFormat = "unsupported-format"
    /// The data read differs from the data written.
    case damaged = "damaged"
    /// Another process is adding or removing backups.
    case busy = "busy"
    /// Reading or writing a file failed.
    case inputOutput = "input-output"
    /// The disk is full.
    case noSpace = "no-space"
    /// The target exists already.
    case notEmpty = "not-empty"
    /// No backup covers the requested time.
    case notCovered = "not-covered"
    /// A passphrase is missing or wrong.
    case passphrase = "passphrase"
    /// The data folder has a file that cannot be read, or whose name or depth a backup does not support.
    case source = "source"
    /// A limit is exceeded.
    case tooLarge = "too-large"
  }

  /// The code of the failure.
  public var code: Code
  /// The problem and its remedy, without a final full stop or any secret.
  public var message: String
  /// The file concerned; nil when there is none.
  public var path: String?

  /// Creates an error with a message for the operator.
  public init(_ code: Code, _ message: String, path: String? = nil) {
    self.code = code
    self.message = message
    self.path = path
  }

  public var description: String { message + (path.map { " [file \($0)]" } ?? "") }
}
