/// The reason why the server could not start or carry out a call, in words for an operator.
public struct ServerError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error: a closed list; texts may change, codes do not.
  public enum Code: String, Sendable {
    /// The options contradict each other or cannot be honoured.
    case badOptions = "bad-options"
    /// The data directory or one of its files cannot be used.
    case storage
    /// The address is taken, forbidden or unknown.
    case cannotBind = "cannot-bind"
    /// The certificate or its key cannot be used.
    case badCertificate = "bad-certificate"
    /// The rules text does not compile.
    case badRules = "bad-rules"
    /// The namespace does not exist or is not valid.
    case unknownDatabase = "unknown-database"
    /// The server is not running, or is stopping.
    case notRunning = "not-running"
  }

  /// The kind of the error, for programs and exit codes.
  public let code: Code
  /// The problem and its remedy, without a final full stop.
  public let message: String

  /// Creates an error with a text for the operator, which contains no secret.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
