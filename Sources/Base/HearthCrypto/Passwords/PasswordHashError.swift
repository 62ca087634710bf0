/// The reason why a password could not be hashed.
public struct PasswordHashError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The password is empty.
    case emptyPassword = "empty_password"
    /// The password has more than ``PasswordHash/passwordBytesMax`` bytes of UTF-8.
    case passwordTooLong = "password_too_long"
    /// The system provides no random bytes for a salt.
    case noRandomness = "no_randomness"
    /// The memory that the cost requires could not be allocated.
    case outOfMemory = "out_of_memory"
  }

  /// The kind of failure.
  public var code: Code

  /// Creates an error of that code, which determines its text.
  public init(_ code: Code) { self.code = code }

  public var description: String {
    switch code {
    case .emptyPassword: "a password must have at least one character"
    case .passwordTooLong: "a password can have at most \(PasswordHash.passwordBytesMax) bytes"
    case .noRandomness: RandomnessError().description
    case .outOfMemory: "not enough memory for the password hash; choose a lower cost"
    }
  }
}
