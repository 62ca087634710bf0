import Foundation

/// The code of an error of sign-in and of accounts.
public enum FAuthenticationError: Int, Sendable, CaseIterable {
  /// The sign-in method is disabled.
  case providerDisabled = -1
  /// The project's configuration is wrong.
  case invalidConfiguration = -2
  /// The page's origin is not authorized.
  case invalidOrigin = -3
  /// The provider does not exist.
  case invalidProvider = -4
  /// The address is invalid.
  case invalidEmail = -5
  /// The password is wrong.
  case invalidPassword = -6
  /// The token is not valid.
  case invalidToken = -7
  /// The user does not exist.
  case userDoesNotExist = -8
  /// Another account has the address.
  case emailTaken = -9
  /// The user denied the sign-in.
  case deniedByUser = -10
  /// The credential is wrong.
  case invalidCredentials = -11
  /// An argument is wrong.
  case invalidArguments = -12
  /// The provider did not answer as expected.
  case providerError = -13
  /// The requests exceed a limit.
  case limitsExceeded = -14
  /// The server could not be reached.
  case networkError = -15
  /// A later sign-in superseded this one.
  case preempted = -16
  /// An unknown error.
  case unknown = -9999

  /// The domain of these errors, which the database's errors share.
  public static let domain = "com.firebase"

  /// Creates the code from the server's name for it, such as `EMAIL_TAKEN`.
  init(serverCode: String) {
    self =
      switch serverCode {
      case "AUTHENTICATION_DISABLED": .providerDisabled
      case "INVALID_CONFIGURATION": .invalidConfiguration
      case "INVALID_ORIGIN": .invalidOrigin
      case "INVALID_PROVIDER": .invalidProvider
      case "INVALID_EMAIL": .invalidEmail
      case "INVALID_PASSWORD": .invalidPassword
      case "INVALID_TOKEN", "EXPIRED_TOKEN": .invalidToken
      case "INVALID_USER": .userDoesNotExist
      case "EMAIL_TAKEN": .emailTaken
      case "USER_DENIED": .deniedByUser
      case "INVALID_CREDENTIALS": .invalidCredentials
      case "INVALID_ARGUMENTS": .invalidArguments
      case "PROVIDER_ERROR": .providerError
      case "LIMITS_EXCEEDED": .limitsExceeded
      case "NETWORK_ERROR": .networkError
      case "PREEMPTED": .preempted
      default: .unknown
      }
  }

  func error(_ message: String) -> NSError {
    let text = String(String.UnicodeScalarView(message.unicodeScalars.prefix(300).filter { $0.value >= 32 }))
    return NSError(domain: Self.domain, code: rawValue, userInfo: [NSLocalizedDescriptionKey: text])
  }
}
