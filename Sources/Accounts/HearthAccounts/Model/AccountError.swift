/// The reason why an identity request was refused: a code of the protocol, and a text after it.
public struct AccountError: Error, Sendable, Equatable {
  /// The code by which clients tell the error.
  package var code: Code
  /// The text that follows the code after " : ". It contains no secrets.
  public var detail: String?

  /// Creates an error with a code and a readable text.
  package init(_ code: Code, _ detail: String? = nil) {
    self.code = code
    self.detail = detail
  }

  /// True when a plugin or function that had to decide did not; reported as a temporary failure.
  package private(set) var isUndecided = false

  /// Creates the error of a hook that did not decide.
  package static func undecided(_ detail: String) -> AccountError {
    var error = AccountError(.blockingFunctionError, detail)
    error.isUndecided = true
    return error
  }

  /// True for a failure of the server, which says nothing about the request.
  package var isTransient: Bool { code == .unavailable || code == .outcomeUnknown }

  /// The text of `error.message`: clients split it at exactly space, colon, space.
  public var message: String { detail.map { "\(code.rawValue) : \($0)" } ?? code.rawValue }

  /// The error codes of the protocol. A closed list; the texts are never renamed.
  package enum Code: String, Sendable, CaseIterable {
    case adminOnlyOperation = "ADMIN_ONLY_OPERATION"
    case apiKeyInvalid = "API_KEY_INVALID"
    case captchaCheckFailed = "CAPTCHA_CHECK_FAILED"
    case blockingFunctionError = "BLOCKING_FUNCTION_ERROR_RESPONSE"
    case claimsTooLarge = "CLAIMS_TOO_LARGE"
    case configurationExists = "CONFIGURATION_EXISTS"
    case configurationNotFound = "CONFIGURATION_NOT_FOUND"
    case credentialInUse = "CREDENTIAL_ALREADY_IN_USE"
    case credentialMismatch = "CREDENTIAL_MISMATCH"
    case credentialTooOld = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    case duplicateEnrolmentID = "DUPLICATE_MFA_ENROLLMENT_ID"
    case duplicateEmail = "DUPLICATE_EMAIL"
    case duplicateLocalID = "DUPLICATE_LOCAL_ID"
    case duplicateRawID = "DUPLICATE_RAW_ID"
    case emailExists = "EMAIL_EXISTS"
    case emailNotFound = "EMAIL_NOT_FOUND"
    case expiredCode = "EXPIRED_OOB_CODE"
    case federatedUserAlreadyLinked = "FEDERATED_USER_ID_ALREADY_LINKED"
    case forbiddenClaim = "FORBIDDEN_CLAIM"
    case insufficientPermission = "INSUFFICIENT_PERMISSION"
    case invalidAppCredential = "INVALID_APP_CREDENTIAL"
    case invalidAppID = "INVALID_APP_ID"
    case invalidArgument = "INVALID_ARGUMENT"
    case invalidCertificate = "INVALID_CERT_HASH"
    case invalidClaims = "INVALID_CLAIMS"
    case invalidAuthenticatorResponse = "INVALID_AUTHENTICATOR_RESPONSE"
    case invalidBlockingFunction = "INVALID_BLOCKING_FUNCTION"
    case invalidCode = "INVALID_CODE"
    case invalidConfig = "INVALID_CONFIG"
    case invalidConfigID = "INVALID_CONFIG_ID"
    case invalidContinueURI = "INVALID_CONTINUE_URI"
    case invalidCredentialID = "INVALID_CREDENTIAL_ID"
    case invalidCredentialOrProvider = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
    case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
    case invalidDuration = "INVALID_DURATION"
    case invalidEmail = "INVALID_EMAIL"
    case invalidGrantType = "INVALID_GRANT_TYPE"
    case invalidHashAlgorithm = "INVALID_HASH_ALGORITHM"
    case invalidHashRounds = "INVALID_HASH_ROUNDS"
    case invalidIDToken = "INVALID_ID_TOKEN"
    case invalidIdentifier = "INVALID_IDENTIFIER"
    case invalidLinkDomain = "INVALID_HOSTING_LINK_DOMAIN"
    case invalidLoginCredentials = "INVALID_LOGIN_CREDENTIALS"
    case invalidFactorPhoneNumber = "INVALID_MFA_PHONE_NUMBER"
    case invalidNonce = "MISSING_OR_INVALID_NONCE"
    case invalidOAuthClient = "INVALID_OAUTH_CLIENT_ID"
    case invalidOOBCode = "INVALID_OOB_CODE"
    case invalidPageSelection = "INVALID_PAGE_SELECTION"
    case invalidPassword = "INVALID_PASSWORD"
    case invalidPendingCredential = "INVALID_MFA_PENDING_CREDENTIAL"
    case invalidPendingToken = "INVALID_PENDING_TOKEN"
    case invalidPhoneNumber = "INVALID_PHONE_NUMBER"
    case invalidProviderID = "INVALID_PROVIDER_ID"
    case invalidProviderResponse = "INVALID_IDP_RESPONSE"
    case invalidRefreshToken = "INVALID_REFRESH_TOKEN"
    case invalidRequestType = "INVALID_REQ_TYPE"
    case invalidRequestURI = "INVALID_REQUEST_URI"
    case invalidSessionInfo = "INVALID_SESSION_INFO"
    case invalidTemporaryProof = "INVALID_TEMPORARY_PROOF"
    case listTooLong = "LOCAL_ID_LIST_EXCEEDS_LIMIT"
    case missingAPNSToken = "MISSING_IOS_APP_TOKEN"
    case missingAppCredential = "MISSING_APP_CREDENTIAL"
    case missingAuthenticatorResponse = "MISSING_AUTHENTICATOR_RESPONSE"
    case missingCode = "MISSING_CODE"
    case missingClientID = "MISSING_OAUTH_CLIENT_ID"
    case missingClientSecret = "MISSING_OAUTH_CLIENT_SECRET"
    case missingConfigID = "MISSING_CONFIG_ID"
    case missingContinueURI = "MISSING_CONTINUE_URI"
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    case missingEmail = "MISSING_EMAIL"
    case missingEnrolmentID = "MISSING_MFA_ENROLLMENT_ID"
    case missingGrantType = "MISSING_GRANT_TYPE"
    case missingHashParameters = "MISSING_HASH_PARAMETERS"
    case missingIDToken = "MISSING_ID_TOKEN"
    case missingIdentifier = "MISSING_IDENTIFIER"
    case missingIssuer = "MISSING_ISSUER"
    case missingLocalID = "MISSING_LOCAL_ID"
    case missingNewEmail = "MISSING_NEW_EMAIL"
    case missingOOBCode = "MISSING_OOB_CODE"
    case missingPassword = "MISSING_PASSWORD"
    case missingPendingCredential = "MISSING_MFA_PENDING_CREDENTIAL"
    case missingProviderID = "MISSING_PROVIDER_ID"
    case missingRawID = "MISSING_RAW_ID"
    case missingRefreshToken = "MISSING_REFRESH_TOKEN"
    case missingRequestType = "MISSING_REQ_TYPE"
    case missingRequestURI = "MISSING_REQUEST_URI"
    case missingSessionInfo = "MISSING_SESSION_INFO"
    case missingUserAccount = "MISSING_USER_ACCOUNT"
    case notDisabled = "NOT_DISABLED"
    case notFound = "NOT_FOUND"
    case notImplemented = "NOT_IMPLEMENTED"
    case operationNotAllowed = "OPERATION_NOT_ALLOWED"
    case passkeyLimit = "PASSKEY_LIMIT_EXCEEDED"
    case passkeyNotFound = "PASSKEY_CREDENTIAL_NOT_FOUND"
    case passkeyRequired = "PASSKEY_REQUIRED"
    case passwordLoginDisabled = "PASSWORD_LOGIN_DISABLED"
    case passwordRequirements = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
    case permissionDenied = "PERMISSION_DENIED"
    case phoneNumberExists = "PHONE_NUMBER_EXISTS"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case resetLimit = "RESET_PASSWORD_EXCEED_LIMIT"
    case secondFactorExists = "SECOND_FACTOR_EXISTS"
    case secondFactorLimit = "SECOND_FACTOR_LIMIT_EXCEEDED"
    case secondFactorNotFound = "MFA_ENROLLMENT_NOT_FOUND"
    case sessionExpired = "SESSION_EXPIRED"
    case projectDisabled = "PROJECT_DISABLED"
    case tenantMismatch = "TENANT_ID_MISMATCH"
    case tenantNotFound = "TENANT_NOT_FOUND"
    case tokenExpired = "TOKEN_EXPIRED"
    case tooManyAttempts = "TOO_MANY_ATTEMPTS_TRY_LATER"
    case unauthenticated = "UNAUTHENTICATED"
    case unauthorizedDomain = "UNAUTHORIZED_DOMAIN"
    case unexpectedParameter = "UNEXPECTED_PARAMETER"
    case unsupportedFirstFactor = "UNSUPPORTED_FIRST_FACTOR"
    case unsupportedTenant = "UNSUPPORTED_TENANT_OPERATION"
    case unverifiedEmail = "UNVERIFIED_EMAIL"
    case userDisabled = "USER_DISABLED"
    case userNotFound = "USER_NOT_FOUND"
    case weakPassword = "WEAK_PASSWORD"
    /// The server cannot answer at the moment. Never sent as JSON on the routes where clients would sign out.
    case unavailable = "UNAVAILABLE"
    /// The outcome is unknown: the change may have been made.
    case outcomeUnknown = "DEADLINE_EXCEEDED"
    case internalError = "INTERNAL"
  }
}
