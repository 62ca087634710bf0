/// Why another provider's token is not accepted. Equal by code.
public struct ForeignTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    case malformed = "malformed"
    /// The set has no such key. It may be new: worth fetching the set again, now and then.
    case unknownKey = "unknown_key"
    case signature = "signature"
    case issuer = "issuer"
    /// Made for another application.
    case audience = "audience"
    case expired = "expired"
    case notYetValid = "not_yet_valid"
    case nonce = "nonce"
    case subject = "subject"
    /// The server could not decide. Not an answer about the token.
    case unavailable = "unavailable"
  }

  public var code: Code
  /// What exactly failed. Holds no part of the token.
  public var reason: String

  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: ForeignTokenError, right: ForeignTokenError) -> Bool { left.code == right.code }
}
