import HearthTree

/// Who a provider says that a credential belongs to, or what the server is to check to find out.
public enum SignInAnswer: Sendable, Codable, Equatable {
  /// The provider vouches that the caller is this person of theirs. The server finds, links or makes the account.
  /// Only for ``SignInMethod/credential``.
  case identity(ForeignIdentity)

  /// The credential itself names the account's uid. The account is made when it is not there; one that is disabled stays
  /// shut. For ``SignInMethod/customToken`` and ``SignInMethod/credential``.
  case user(NamedUser)

  /// A new account without any credential. Only for ``SignInMethod/anonymous``.
  case anonymous

  /// The server is to check this password against the stored hash, or to store it for a sign-up or a change. Only for
  /// ``SignInMethod/password``.
  case password(PasswordProof)

  /// The server is to check and use up this code that was mailed. Only for ``SignInMethod/emailLink``.
  case emailCode(EmailCodeProof)

  /// The credential is wrong. The client is told the code and the message; of a ``SignInMethod/credential`` the refusal is
  /// counted against the client's address.
  case refused(SignInRefusal)
}

/// A person as a provider knows them.
public struct ForeignIdentity: Sendable, Codable, Equatable {
  /// The provider's own stable id of the person: `sub`, never an e-mail address. 1 to 255 bytes.
  public var rawID: String
  /// As the provider writes it; the server makes it canonical. Nil when the provider tells none.
  public var email: String?
  /// True only when the provider gives such addresses out, or the operator believes it about them: one that proved the
  /// address once does not know who has it today.
  public var isEmailVerified: Bool
  /// The person's whole name. This and the next four are for display only: one line each, without control characters.
  public var displayName: String?
  /// The given name.
  public var firstName: String?
  /// The family name.
  public var lastName: String?
  /// `https:` or `http:`; shown to clients and never fetched by the server.
  public var photoURL: String?
  /// The person's name at the provider, such as a login.
  public var screenName: String?
  /// The provider's profile as it came, shown to the client as `rawUserInfo`. It is not stored.
  public var profile: JSON?
  /// Claims for the tokens of this session: an object without reserved names, 1,000 bytes at most.
  public var attributes: JSON?

  /// - Parameters:
  ///   - rawID: the provider's stable id of the person.
  ///   - email: the person's address there.
  ///   - isEmailVerified: whether to believe that the address is theirs; see ``isEmailVerified``.
  public init(rawID: String, email: String? = nil, isEmailVerified: Bool = false) {
    self.rawID = rawID
    self.email = email
    self.isEmailVerified = isEmailVerified
  }
}

/// An account named by its uid.
public struct NamedUser: Sendable, Codable, Equatable {
  /// 1 to 128 characters, none of them a control character.
  public var uid: String
  /// For the tokens of this session: an object without reserved names, 1,000 bytes at most, or nil.
  public var claims: JSON?
  /// What tokens show as sign-in provider; nil means `custom`.
  public var signInProvider: String?
  /// When the credential was made, in seconds since 1970: one from before the uid's last account was deleted opens no
  /// later one. Nil for a credential that names no time.
  public var issuedAtSeconds: Int64?

  /// An account of that uid.
  public init(uid: String, claims: JSON? = nil, signInProvider: String? = nil, issuedAtSeconds: Int64? = nil) {
    self.uid = uid
    self.claims = claims
    self.signInProvider = signInProvider
    self.issuedAtSeconds = issuedAtSeconds
  }
}

/// An e-mail address in canonical form and the password that is claimed for it.
public struct PasswordProof: Sendable, Codable, Equatable {
  /// In canonical form: as the request has it.
  public var email: String
  /// Byte for byte as the client sent it: what is trimmed or cut is a password that others have too.
  public var password: String

  /// What the server is to check or store.
  public init(email: String, password: String) {
    self.email = email
    self.password = password
  }
}

/// An e-mail address in canonical form and the code that was mailed there.
public struct EmailCodeProof: Sendable, Codable, Equatable {
  /// In canonical form: as the request has it.
  public var email: String
  /// The code from the link, as the client sent it.
  public var code: String

  /// What the server is to check and use up.
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
    /// No custom token was sent.
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    /// The custom token is not well formed, not signed by an account that counts, or out of its time.
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
    /// No address was sent.
    case missingEmail = "MISSING_EMAIL"
    /// The text is no e-mail address.
    case invalidEmail = "INVALID_EMAIL"
    /// No password was sent.
    case missingPassword = "MISSING_PASSWORD"
    /// A new password is too short, or one of those that are tried first.
    case weakPassword = "WEAK_PASSWORD"
    /// A new password lacks a kind of character, or is too long.
    case passwordRequirements = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
    /// No mailed code was sent.
    case missingCode = "MISSING_OOB_CODE"
    /// The credential is wrong or incomplete. The code to use when no other fits.
    case invalidCredential = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
    /// The token of another server is not valid, or made for another app, or that server did not answer.
    case invalidProviderResponse = "INVALID_IDP_RESPONSE"
    /// The token's nonce and the request's do not match.
    case invalidNonce = "MISSING_OR_INVALID_NONCE"
    /// The provider does not serve this method or operation.
    case notAllowed = "OPERATION_NOT_ALLOWED"
  }

  /// What the client's library acts on.
  public var code: Code
  /// A sentence for the app's developer, which the client gets behind the code: one line, cut at 512 characters; no
  /// secret, nothing about other accounts. Nil for the bare code.
  public var message: String?

  /// A refusal with this code; without a message the client gets the bare code.
  public init(_ code: Code, _ message: String? = nil) {
    self.code = code
    self.message = message
  }
}
