/// Everything that is kept about one user. What the identity protocol calls `UserInfo` is made from it.
public struct UserRecord: Sendable, Equatable {
  /// 1 to 128 UTF-16 units.
  public var uid: String
  /// In canonical form (``EmailAddress``); unique.
  public var email: String?
  /// The owner of the mailbox has shown that it is theirs.
  public var isEmailVerified = false
  /// The address that the account had before its first change of address, in canonical form; `nil` before that change.
  public var initialEmail: String?
  /// As the user chose it.
  public var displayName: String?
  /// The URL of a picture, as the user chose it.
  public var photoURL: String?
  /// E.164; unique.
  public var phoneNumber: String?
  /// Nil for who has none.
  public var password: StoredPassword?
  /// A link that was mailed to the address has let the user in, and may do so again. Never without an address.
  public var hasEmailLink = false
  /// Identities of other providers; unique each. Not the password and not the phone.
  public var identities: [ProviderIdentity] = []
  /// Nobody comes in by this account.
  public var isDisabled = false
  /// Made by a custom token.
  public var isCustomAuth = false
  /// Claims that every token of the user gets: the text of a JSON object; nil before any were set.
  public var customAttributes: String?
  /// Since 1970.
  public var createdAtMilliseconds: Int64
  /// Since 1970; nil for who never did.
  public var lastSignInAtMilliseconds: Int64?
  /// Of the last ID token, by sign-in or refresh.
  public var lastRefreshAtMilliseconds: Int64?
  /// What clients are shown of ``border``: the second of the last revocation. Application servers compare it with the
  /// times of a token, so it is never later than those of one that counts.
  public var validSinceSeconds: Int64
  /// Decides which tokens and sessions count.
  public var border = TokenCutoff.first
  /// Second factors, in the order of their enrolment.
  public var factors: [SecondFactor] = []
  /// Keyed hashes of the recovery codes that are left: each stands once for a second factor.
  public var recoveryCodes: [String] = []
  /// Keys of WebAuthn, in the order of their enrolment; unique each.
  public var passkeys: [Passkey] = []
  /// Ways in that a session without a recent sign-in has added, for as long as a sign-in by them is not taken for a recent one.
  var lateWays: [LateWay] = []
  /// The password was given out by somebody else: 2.x clients ask for a new one. An import may say so; a reset mails a
  /// link and needs none.
  public var hasTemporaryPassword = false

  /// The longest name in bytes: every token of the user repeats it.
  package static let nameBytesMax = 1_024
  /// The longest address of a picture in bytes, for the same reason.
  package static let photoURLBytesMax = 2_048

  /// A user without any way in.
  public init(uid: String, createdAtMilliseconds: Int64) {
    self.uid = uid
    self.createdAtMilliseconds = createdAtMilliseconds
    validSinceSeconds = createdAtMilliseconds / 1000
  }

  /// Neither an e-mail address, nor a phone, nor a provider, nor a passkey, nor a uid from a custom token.
  public var isAnonymous: Bool {
    email == nil && phoneNumber == nil && password == nil && identities.isEmpty && passkeys.isEmpty && !isCustomAuth
  }

  /// A passkey verified the person, and there still is one that does.
  func hasShownPasskey(in session: SessionRecord) -> Bool {
    session.isUserVerified && passkeys.contains { $0.isUserVerified || $0.publicKey.isEmpty }
  }

  /// There is something to show beside a first factor, or in the place of both.
  var hasSecondFactor: Bool { !factors.isEmpty || passkeys.contains(where: \.isUserVerified) }

  /// The passkey of that id.
  func passkey(_ id: String) -> Passkey? { passkeys.first { $0.id.isSameText(as: id) } }
}

/// A password's hash.
public struct StoredPassword: Sendable, Equatable {
  /// A self-describing string; see ``PasswordHash``. Never leaves the server but in an export.
  public var hash: String
  /// Since 1970; tells one password from the next.
  public var updatedAtMilliseconds: Int64

  /// A hash that was made at that moment.
  public init(hash: String, updatedAtMilliseconds: Int64) {
    self.hash = hash
    self.updatedAtMilliseconds = updatedAtMilliseconds
  }
}

/// One identity at another provider.
public struct ProviderIdentity: Sendable, Equatable {
  /// `google.com`, `oidc.example`, …
  public var providerID: String
  /// The provider's own id of the person.
  public var rawID: String
  /// In canonical form, as the provider told it.
  public var email: String?
  /// As the provider told it.
  public var displayName: String?
  /// As the provider told it.
  public var photoURL: String?
  /// What the provider calls the person in public.
  public var screenName: String?

  /// An identity of which nothing but its ids is known.
  public init(providerID: String, rawID: String) {
    self.providerID = providerID
    self.rawID = rawID
  }
}

/// A second factor that a user has enrolled.
public struct SecondFactor: Sendable, Equatable {
  /// What the user shows.
  public enum Kind: Sendable, Equatable {
    /// The shared secret, sealed with the server's sealing key.
    case totp(sealedSecret: String, lastAcceptedStep: Int64)
    /// E.164. Kept so that imported users lose nothing; no code is sent from here.
    case phone(String)
  }

  /// The enrolment id: unique for the user.
  public var id: String
  /// What the user shows.
  public var kind: Kind
  /// As the user chose it.
  public var displayName: String?
  /// Since 1970.
  public var enrolledAtMilliseconds: Int64

  /// A factor that is enrolled.
  public init(id: String, kind: Kind, displayName: String?, enrolledAtMilliseconds: Int64) {
    self.id = id
    self.kind = kind
    self.displayName = displayName
    self.enrolledAtMilliseconds = enrolledAtMilliseconds
  }
}
