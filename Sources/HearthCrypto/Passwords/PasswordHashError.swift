/// Why a password could not be hashed.
public struct PasswordHashError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable, CaseIterable {
    case emptyPassword = "empty_password"
    case passwordTooLong = "password_too_long"
    case noRandomness = "no_randomness"
    case outOfMemory = "out_of_memory"
  }

  public var code: Code

  public init(_ code: Code) { self.code = code }

  public var description: String {
    switch code {
    case .emptyPassword: "a password has at least one character"
    case .passwordTooLong: "a password has at most \(PasswordHash.passwordBytesMax) bytes"
    case .noRandomness: RandomnessError().description
    case .outOfMemory: "there is not enough memory for the password hash; choose a smaller cost"
    }
  }
}
