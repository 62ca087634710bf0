import HearthCrypto

/// What a request to the identity interface wants.
enum IdentityOperation: Sendable, Equatable {
  // For clients; some of them also serve administrators.
  case signUp, signInWithPassword, signInWithCustomToken, signInWithIdentity, lookup, update, delete
  case sendCode, resetPassword, signInWithEmailLink, createAuthURI
  case startEnrolment, finishEnrolment, withdrawFactor, startSecondFactor, finishSecondFactor
  case revokeToken, refresh
  case projectConfig, passwordPolicy, recaptchaConfig
  // For administrators.
  case adminCreate, adminLookup, adminUpdate, adminDelete, adminSendCode
  case batchGet, batchDelete, batchCreate, createSessionCookie, queryAccounts
  case administrate(String)
  // For everybody.
  case certificates(KeyKind)
  case keySet(KeyKind)
  case discovery
  case serviceAccountToken
  // For tests of apps: an emulator's.
  case deleteAllAccounts, listCodes, listPhoneCodes, emulatorConfig
  case sendPhoneCode, signInWithPhone, captchaParameters
  /// Clients of the 2.x kind.
  case legacy
  /// Part of the protocol, and not served here.
  case unserved(String)
  case unknown
}

/// An operation, and how it may be asked for.
struct IdentityRoute: Sendable, Equatable {
  enum Access: Sendable, Equatable {
    case everybody
    /// Names the project with an API key, or is an administrator.
    case client
    case administrator
    /// From this machine, while emulator clients are served.
    case emulator
  }

  var operation: IdentityOperation
  /// The HTTP method, or several with ", " between them; nil for any.
  var method: String?
  var access: Access
  /// From the path.
  var project: String?
  var tenant: String?

  init(_ operation: IdentityOperation, _ method: String? = "POST", _ access: Access = .client) {
    self.operation = operation
    self.method = method
    self.access = access
  }
}
