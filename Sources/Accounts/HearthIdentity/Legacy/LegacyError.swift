import HearthAccounts
import HearthTree

/// The error for a 2.x client, in the form of its interface.
struct LegacyError: Error, Sendable, Equatable {
  /// The closed list of codes; texts are never renamed. Errors that only clients can detect are not included.
  enum Code: String, Sendable, CaseIterable {
    case authenticationDisabled = "AUTHENTICATION_DISABLED"
    case invalidProvider = "INVALID_PROVIDER"
    case invalidEmail = "INVALID_EMAIL"
    case invalidPassword = "INVALID_PASSWORD"
    case invalidToken = "INVALID_TOKEN"
    case invalidUser = "INVALID_USER"
    case emailTaken = "EMAIL_TAKEN"
    case invalidCredentials = "INVALID_CREDENTIALS"
    case invalidArguments = "INVALID_ARGUMENTS"
    case providerError = "PROVIDER_ERROR"
    case limitsExceeded = "LIMITS_EXCEEDED"
    case unknown = "UNKNOWN_ERROR"
  }

  var code: Code
  var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  var json: JSON {
    .object([
      JSON.Member(
        "error",
        .object([
          JSON.Member("code", .string(code.rawValue)), JSON.Member("message", .string(message)),
          JSON.Member("details", .null),
        ]))
    ])
  }

  /// - Parameter revealsUnknownUsers: true when an unknown address has another error than a wrong password.
  init(_ error: AccountError, revealsUnknownUsers: Bool) {
    switch error.code {
    case .passwordLoginDisabled, .operationNotAllowed, .adminOnlyOperation:
      self.init(.authenticationDisabled, "This sign-in method or operation is disabled.")
    case .invalidEmail: self.init(.invalidEmail, "The specified email address is invalid.")
    case .missingEmail: self.init(.invalidArguments, "The email address is missing.")
    case .missingPassword: self.init(.invalidArguments, "The password is missing.")
    case .emailNotFound, .userNotFound:
      self = revealsUnknownUsers ? Self.unknownUser : Self.wrongPassword
    case .invalidLoginCredentials, .invalidPassword: self = Self.wrongPassword
    case .userDisabled: self.init(.invalidCredentials, "The user account is disabled.")
    case .emailExists, .federatedUserAlreadyLinked:
      self.init(.emailTaken, "The specified email address is already in use.")
    case .weakPassword, .passwordRequirements:
      self.init(.invalidArguments, error.detail ?? "The new password is too weak.")
    case .tooManyAttempts, .quotaExceeded, .resetLimit:
      self.init(.limitsExceeded, "Too many requests. Try again later.")
    case .invalidProviderID: self.init(.invalidProvider, "Unknown provider.")
    case .invalidCredentialOrProvider, .invalidNonce, .blockingFunctionError:
      self.init(.invalidCredentials, error.detail ?? "The credentials are invalid.")
    case .invalidProviderResponse: self.init(.providerError, error.detail ?? "The provider did not answer as expected.")
    case .tokenExpired: self.init(.invalidToken, "The account has changed. Sign in again.")
    case .invalidArgument: self.init(.invalidArguments, error.detail ?? "An argument is invalid.")
    case .unavailable: self.init(.unknown, "The server cannot answer at the moment. Try again.")
    case .outcomeUnknown: self.init(.unknown, "The outcome of this request is unknown.")
    default: self.init(.unknown, "The request failed.")
    }
  }

  static let unknownUser = LegacyError(.invalidUser, "The specified user does not exist.")
  static let wrongPassword = LegacyError(.invalidPassword, "The specified email address or password is incorrect.")
  static let needsSecondFactor = LegacyError(
    .invalidCredentials, "The account has a second factor, which this client version does not support.")
}
