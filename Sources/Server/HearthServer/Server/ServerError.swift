/// Why the server could not start or do what it was told, in words for an operator.
public struct ServerError: Error, Sendable, CustomStringConvertible {
  /// A closed list; texts may change, codes do not.
  public enum Code: String, Sendable {
    /// Options that contradict each other or cannot be honoured.
    case badOptions = "bad-options"
    /// The data directory or one of its files.
    case storage
    /// The address is taken, forbidden or unknown.
    case cannotBind = "cannot-bind"
    /// A certificate or key file.
    case badCertificate = "bad-certificate"
    /// Rules text that does not compile.
    case badRules = "bad-rules"
    /// A namespace that does not exist or may not.
    case unknownDatabase = "unknown-database"
    /// The server is not running, or is stopping.
    case notRunning = "not-running"
  }

  /// Which of the list it is, for programs and exit codes.
  public let code: Code
  /// What is wrong and what to do about it, without a final full stop.
  public let message: String

  /// An error with words for an operator; no secret in them.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
