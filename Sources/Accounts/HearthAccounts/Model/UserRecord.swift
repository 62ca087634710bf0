/// A user's record. The identity protocol's `UserInfo` is derived from it.
public struct UserRecord: Sendable, Equatable {
  /// The user id, 1 to 128 UTF-16 units.
  public var uid: String
  /// The address in canonical form (``EmailAddress``); unique.
  public var email: String?
  /// True when the user has proven to own the mailbox.
  public var isEmailVerified = false
  /// The address that the account had before its first change of address, in canonical form; `nil` before that change.
  public var initialEmail: String?
  /// The name that the user chose.
  public var displayName: String?
  /// The URL of a picture, as the user chose it.
  public var photoURL: String?
  /// The phone number in E.164; unique.
  public var phoneNumber: String?
  /// The password; nil for an account without one.
  public var password: StoredPassword?
  /// True when a link that was mailed to the address has signed the user in, and may do so again. Never without an
  /// address.
  public var hasEmailLink = false
  /// Identities of other providers; unique each. Not the password and not the phone.
  public var identities: [ProviderIdentity] = []
  /// True when sign-ins to the account are refused.
  public var isDisabled = false
  /// True when the account was created by a custom token.
  public var isCustomAuth = false
  /// Claims that every token of the user gets: the text of a JSON object; nil before any were set.
  public var customAttributes: String?
  /// The time of creation, since 1970.
  public var createdAtMilliseconds: Int64
  /// The time of the last sign-in, since 1970; nil before the first.
  public var lastSignInAtMilliseconds: Int64?
  /// The time of the last ID token, by sign-in or refresh.
  public var lastRefreshAtMilliseconds: Int64?
  /// The time of the last revocation, in seconds since 1970, as clients see it. The server checks tokens against ``cutoff`` and not
  /// against this time; application servers compare it with the times of a token, so it is never later than those of a valid one.
  public var validSinceSeconds: Int64
  /// The cutoff between valid and revoked tokens and sessions.
  public var cutoff = TokenCutoff.first
  /// The second factors, in the order of their enrolment.
  public var factors: [SecondFactor] = []
  /// The keyed hashes of the remaining recovery codes: each replaces a second factor once.
  public var recoveryCodes: [String] = []
  /// The passkeys, in the order of their enrolment; each is unique.
  public var passkeys: [Passkey] = []
  /// The credentials that a session without a recent sign-in has added, while a sign-in by them does not count as
  /// recent.
  var probationaryCredentials: [ProbationaryCredential] = []
  /// True when the password was set by an administrator: 2.x clients ask for a new one. An import may set it; a reset
  /// mails a link and does not need it.
  public var hasTemporaryPassword = false

  /// The longest name in bytes: every token of the user repeats it.
  package static let nameBytesMax = 1_024
  /// The longest address of a picture in bytes, for the same reason.
  package static let photoURLBytesMax = 2_048

  /// Creates a user without any credential.
  public init(uid: String, createdAtMilliseconds: Int64) {
    self.uid = uid
    self.createdAtMilliseconds = createdAtMilliseconds
    validSinceSeconds = createdAtMilliseconds / 1000
  }

  /// True for an account without an e-mail address, phone, password, provider, passkey and uid from a custom token.
  public var isAnonymous: Bool {
    email == nil && phoneNumber == nil && password == nil && identities.isEmpty && passkeys.isEmpty && !isCustomAuth
  }

  /// Returns true when a passkey verified the user in the session, and a verifying passkey still exists.
  func hasShownPasskey(in session: SessionRecord) -> Bool {
    session.isUserVerified && passkeys.contains { $0.isUserVerified || $0.publicKey.isEmpty }
  }

  /// True when the account has a second factor, or a passkey that verifies the user.
  var hasSecondFactor: Bool { !factors.isEmpty || passkeys.contains(where: \.isUserVerified) }

  /// The passkey of that id.
  func passkey(_ id: String) -> Passkey? { passkeys.first { $0.id.isSameText(as: id) } }
}

/// A password's hash.
public struct StoredPassword: Sendable, Equatable {
  /// A self-describing string; see ``PasswordHash``. It leaves the server only in an export.
  public var hash: String
  /// The time of the change, since 1970; tells one password from the next.
  public var updatedAtMilliseconds: Int64

  /// Creates a stored password.
  public init(hash: String, updatedAtMilliseconds: Int64) {
    self.hash = hash
    self.updatedAtMilliseconds = updatedAtMilliseconds
  }
}

/// An identity at another provider.
public struct ProviderIdentity: Sendable, Equatable {
  /// The provider's id: `google.com`, `oidc.example`, …
  public var providerID: String
  /// The provider's own id of the user.
  public var rawID: String
  /// The address in canonical form, as the provider reported it.
  public var email: String?
  /// The name, as the provider reported it.
  public var displayName: String?
  /// The URL of a picture, as the provider reported it.
  public var photoURL: String?
  /// The user's public name at the provider.
  public var screenName: String?

  /// Creates an identity of which only the ids are known.
  public init(providerID: String, rawID: String) {
    self.providerID = providerID
    self.rawID = rawID
  }
}

/// A second factor that a user has enrolled.
public struct SecondFactor: Sendable, Equatable {
  /// The proof that the user shows.
  public enum Kind: Sendable, Equatable {
    /// The shared secret, sealed with the server's sealing key.
    case totp(sealedSecret: String, lastAcceptedStep: Int64)
    /// A phone number in E.164.
    case phone(String)
  }

  /// The enrolment id: unique for the user.
  public var id: String
  /// The proof that the user shows.
  public var kind: Kind
  /// The name that the user chose.
  public var displayName: String?
  /// The time of enrolment, since 1970.
  public var enrolledAtMilliseconds: Int64

  /// Creates an enrolled factor.
  public init(id: String, kind: Kind, displayName: String?, enrolledAtMilliseconds: Int64) {
    self.id = id
    self.kind = kind
    self.displayName = displayName
    self.enrolledAtMilliseconds = enrolledAtMilliseconds
  }
}
