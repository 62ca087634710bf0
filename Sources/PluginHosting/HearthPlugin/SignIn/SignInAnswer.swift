import HearthTree

/// The account that a credential belongs to according to its provider, or the check that the server still has to make.
public enum SignInAnswer: Sendable, Codable, Equatable {
  /// The provider confirms that the caller is this user of its own. The server finds, links or makes the account. Only
  /// for ``SignInMethod/credential``.
  case identity(ForeignIdentity)

  /// The credential itself names the account's uid. The account is made when it does not exist; a disabled one stays
  /// disabled. For ``SignInMethod/customToken`` and ``SignInMethod/credential``.
  case user(NamedUser)

  /// A new account without any credential. Only for ``SignInMethod/anonymous``.
  case anonymous

  /// The server is to check this password against the stored hash, or to store it for a sign-up or a change. Only for
  /// ``SignInMethod/password``.
  case password(PasswordProof)

  /// The server is to check and use up this code that was mailed. Only for ``SignInMethod/emailLink``.
  case emailCode(EmailCodeProof)

  /// The credential is wrong. The client is told the code and the message; of a ``SignInMethod/credential`` the refusal
  /// is counted against the client's address.
  case refused(SignInRefusal)
}

/// A user as a provider knows them.
public struct ForeignIdentity: Sendable, Codable, Equatable {
  /// The provider's own stable id of the user: `sub`, never an e-mail address. 1 to 255 bytes.
  public var rawID: String
  /// The address as the provider writes it; the server makes it canonical. Nil when the provider gives none.
  public var email: String?
  /// True only when the provider is the authority for such addresses, or the operator trusts it for them: an address
  /// that was verified once may have another owner today.
  public var isEmailVerified: Bool
  /// The user's whole name. This and the next four are for display only: one line each, without control characters.
  public var displayName: String?
  /// The given name.
  public var firstName: String?
  /// The family name.
  public var lastName: String?
  /// The URL of a picture, `https:` or `http:`; shown to clients and never fetched by the server.
  public var photoURL: String?
  /// The user's name at the provider, such as a login.
  public var screenName: String?
  /// The provider's profile, unchanged, shown to the client as `rawUserInfo`. It is not stored.
  public var profile: JSON?
  /// Claims for the tokens of this session: an object without reserved names, 1,000 bytes at most.
  public var attributes: JSON?

  /// - Parameters:
  ///   - rawID: the provider's stable id of the user.
  ///   - email: the user's address there.
  ///   - isEmailVerified: true when the address is theirs; see ``isEmailVerified``.
  public init(rawID: String, email: String? = nil, isEmailVerified: Bool = false) {
    self.rawID = rawID
    self.email = email
    self.isEmailVerified = isEmailVerified
  }
}

/// An account named by its uid.
public struct NamedUser: Sendable, Codable, Equatable {
  /// The uid: 1 to 128 characters, none of them a control character.
  public var uid: String
  /// The claims for the tokens of this session: an object without reserved names, 1,000 bytes at most; nil for none.
  public var claims: JSON?
  /// The sign-in provider that tokens show; nil means `custom`.
  public var signInProvider: String?
  /// The time when the credential was made, in seconds since 1970: one from before the uid's last account was deleted
  /// signs in to no later account. Nil for a credential without a time.
  public var issuedAtSeconds: Int64?

  /// Creates an account of that uid.
  public init(uid: String, claims: JSON? = nil, signInProvider: String? = nil, issuedAtSeconds: Int64? = nil) {
    self.uid = uid
    self.claims = claims
    self.signInProvider = signInProvider
    self.issuedAtSeconds = issuedAtSeconds
  }
}

/// An e-mail address and the password that the client sent for it.
public struct PasswordProof: Sendable, Codable, Equatable {
  /// The address in canonical form: as the request has it.
  public var email: String
  /// The password, byte for byte as the client sent it: a trimmed or cut one would equal the passwords of other users.
  public var password: String

  /// Creates a password for the server to check or store.
  public init(email: String, password: String) {
    self.email = email
    self.password = password
  }
}

/// An e-mail address and the code that was mailed there.
public struct EmailCodeProof: Sendable, Codable, Equatable {
  /// The address in canonical form: as the request has it.
  public var email: String
  /// The code from the link, as the client sent it.
  public var code: String

  /// Creates a code for the server to check and use up.
  public init(email: String, code: String) {
    self.email = email
    self.code = code
  }
}

/// The reason why a credential was refused.
public struct SignInRefusal: Sendable, Codable, Equatable, Error {
  /// The identity protocol's codes that a provider may answer. Clients' libraries map each to an error of their own, so
  /// the raw values are never renamed.
  public enum Code: String, Sendable, Codable, CaseIterable {
    /// The request has no custom token.
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    /// The custom token is not well formed, not signed by a valid account, or outside of its validity period.
    case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
    /// The custom token was made for another project.
    case credentialMismatch = "CREDENTIAL_MISMATCH"
    /// The custom token names no uid.
    case missingIdentifier = "MISSING_IDENTIFIER"
    /// The claims are not an object.
    case invalidClaims = "INVALID_CLAIMS"
    /// A claim has a reserved name.
    case forbiddenClaim = "FORBIDDEN_CLAIM"
    /// The claims take more than 1,000 bytes.
    case claimsTooLarge = "CLAIMS_TOO_LARGE"
    /// The token was made for another tenant than the request names.
    case tenantMismatch = "TENANT_ID_MISMATCH"
    /// The request has no address.
    case missingEmail = "MISSING_EMAIL"
    /// The text is no e-mail address.
    case invalidEmail = "INVALID_EMAIL"
    /// The request has no password.
    case missingPassword = "MISSING_PASSWORD"
    /// A new password is too short, or a common one.
    case weakPassword = "WEAK_PASSWORD"
    /// A new password lacks a kind of character, or is too long.
    case passwordRequirements = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
    /// The request has no mailed code.
    case missingCode = "MISSING_OOB_CODE"
    /// The credential is wrong or incomplete. The code to use when no more specific one fits.
    case invalidCredential = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
    /// The token of another server is not valid, or made for another app, or that server did not answer.
    case invalidProviderResponse = "INVALID_IDP_RESPONSE"
    /// The token's nonce and the request's do not match.
    case invalidNonce = "MISSING_OR_INVALID_NONCE"
    /// The provider does not serve this method or operation.
    case notAllowed = "OPERATION_NOT_ALLOWED"
  }

  /// The code that the client's library acts on.
  public var code: Code
  /// A sentence for the app's developer, which the client gets behind the code: one line, cut at 512 characters; no
  /// secret and no data of other accounts. Nil for the bare code.
  public var message: String?

  /// Creates a refusal with this code; without a message the client gets the bare code.
  public init(_ code: Code, _ message: String? = nil) {
    self.code = code
    self.message = message
  }
}
