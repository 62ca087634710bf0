import HearthTree

/// What a provider makes of a credential.
public enum SignInAnswer: Sendable, Codable, Equatable {
  /// The provider vouches that the caller is this person of theirs. The server finds, links or makes the account.
  case identity(ForeignIdentity)

  /// The credential itself names the account's uid, which is made when it is not there.
  case user(NamedUser)

  /// Nobody in particular: a new account.
  case anonymous

  /// The server is to check this password against the stored hash, or to store it for a sign-up or a change.
  case password(PasswordProof)

  /// The server is to check and use up this code that was mailed.
  case emailCode(EmailCodeProof)

  case refused(SignInRefusal)
}

/// A person as a provider knows them.
public struct ForeignIdentity: Sendable, Codable, Equatable {
  /// The provider's own stable id of the person: `sub`, never an e-mail address.
  public var rawID: String
  public var email: String?
  /// True only when the provider gives such addresses out, or the operator believes it about them: one that proved the
  /// address once does not know who has it today.
  public var isEmailVerified: Bool
  public var displayName: String?
  public var firstName: String?
  public var lastName: String?
  public var photoURL: String?
  public var screenName: String?
  /// The provider's profile as it came, shown to the client as `rawUserInfo`.
  public var profile: JSON?
  /// Claims for tokens of this session, such as `sign_in_attributes` of the provider.
  public var attributes: JSON?

  public init(rawID: String, email: String? = nil, isEmailVerified: Bool = false) {
    self.rawID = rawID
    self.email = email
    self.isEmailVerified = isEmailVerified
  }
}

/// An account named by its uid.
public struct NamedUser: Sendable, Codable, Equatable {
  public var uid: String
  /// For the tokens of this session: an object without reserved names, or nil.
  public var claims: JSON?
  /// What tokens show as sign-in provider; nil means `custom`.
  public var signInProvider: String?
  /// When the credential was made, in seconds since 1970: one from before the uid's last account was deleted opens no
  /// later one. Nil for a credential that names no time.
  public var issuedAtSeconds: Int64?

  public init(uid: String, claims: JSON? = nil, signInProvider: String? = nil, issuedAtSeconds: Int64? = nil) {
    self.uid = uid
    self.claims = claims
    self.signInProvider = signInProvider
    self.issuedAtSeconds = issuedAtSeconds
  }
}

/// An e-mail address in canonical form and the password that is claimed for it.
public struct PasswordProof: Sendable, Codable, Equatable {
  public var email: String
  public var password: String

  public init(email: String, password: String) {
    self.email = email
    self.password = password
  }
}

/// An e-mail address in canonical form and the code that was mailed there.
public struct EmailCodeProof: Sendable, Codable, Equatable {
  public var email: String
  public var code: String

  public init(email: String, code: String) {
    self.email = email
    self.code = code
  }
}

/// Why a credential was refused.
public struct SignInRefusal: Sendable, Codable, Equatable, Error {
  /// The identity protocol's codes that a provider may answer.
  public enum Code: String, Sendable, Codable, CaseIterable {
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
    case credentialMismatch = "CREDENTIAL_MISMATCH"
    case missingIdentifier = "MISSING_IDENTIFIER"
    case invalidClaims = "INVALID_CLAIMS"
    case forbiddenClaim = "FORBIDDEN_CLAIM"
    case claimsTooLarge = "CLAIMS_TOO_LARGE"
    case tenantMismatch = "TENANT_ID_MISMATCH"
    case missingEmail = "MISSING_EMAIL"
    case invalidEmail = "INVALID_EMAIL"
    case missingPassword = "MISSING_PASSWORD"
    case weakPassword = "WEAK_PASSWORD"
    case passwordRequirements = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
    case missingCode = "MISSING_OOB_CODE"
    case invalidCredential = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
    case invalidProviderResponse = "INVALID_IDP_RESPONSE"
    case invalidNonce = "MISSING_OR_INVALID_NONCE"
    case notAllowed = "OPERATION_NOT_ALLOWED"
  }

  public var code: Code
  /// For the client: no secret, nothing about other accounts. Nil for the bare code.
  public var message: String?

  public init(_ code: Code, _ message: String? = nil) {
    self.code = code
    self.message = message
  }
}
