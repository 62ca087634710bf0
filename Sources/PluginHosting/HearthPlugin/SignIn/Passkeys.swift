/// A provider of passkeys: keys of WebAuthn (FIDO2) that a user's device or password manager keeps for a domain.
///
/// The server keeps the challenges and the keys of accounts, and decides which account may sign in; a provider has the
/// relying party and the rules that check the data of a browser and its authenticator. It is called by ``register(_:)``
/// and ``use(_:)`` alone: a passkey is no credential of ``SignInProvider/answer(_:)``.
public protocol PasskeyProvider: SignInProvider {
  /// The relying party of the keys. Read with every request; it must not change.
  var relyingParty: PasskeyRelyingParty { get }

  /// Checks a new key.
  ///
  /// - Throws: ``PasskeyRefusal`` for an invalid registration.
  func register(_ registration: PasskeyRegistration) throws(PasskeyRefusal) -> NewPasskey

  /// Checks the use of a key.
  ///
  /// - Throws: ``PasskeyRefusal`` for an invalid assertion.
  func use(_ assertion: PasskeyAssertion) throws(PasskeyRefusal) -> PasskeyUse
}

/// A relying party of passkeys, and its requirements for them.
public struct PasskeyRelyingParty: Sendable, Equatable {
  /// The domain that keys are bound to: `example.com`.
  public var id: String
  /// The name that users see when a key is made.
  public var name: String
  /// True when authenticators have to verify the user; otherwise they may.
  public var requiresUserVerification = true
  /// True when an account that has a passkey can sign in by its passkeys alone.
  public var isRequiredOnceEnrolled = false
  /// The maximum number of keys of one account.
  public var keysMax = 10
  /// The accepted signature algorithms, by COSE's numbers, the best first.
  public var algorithms: [Int64] = []

  /// Creates a relying party whose keys have to verify the user.
  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

/// The result of making a key. All of it but the challenge is untrusted.
public struct PasskeyRegistration: Sendable {
  /// The challenge that was issued for this user.
  public var challenge: [UInt8]
  /// The key's id.
  public var credentialID: [UInt8]
  /// The client data as the browser sent it: JSON.
  public var clientDataJSON: [UInt8]
  /// The authenticator's statement about the key: CBOR.
  public var attestationObject: [UInt8]

  /// Creates a registration as the server shows it, for tests of a provider.
  public init(challenge: [UInt8], credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8]) {
    self.challenge = challenge
    self.credentialID = credentialID
    self.clientDataJSON = clientDataJSON
    self.attestationObject = attestationObject
  }
}

/// A new key, as the server stores it.
public struct NewPasskey: Sendable, Equatable {
  /// The public key, in a form that the provider reads again.
  public var publicKey: [UInt8]
  /// The authenticator's signature counter.
  public var signCount: UInt32
  /// True when the authenticator verified the user.
  public var isUserVerified: Bool
  /// True when the key can be copied to other devices.
  public var isBackupEligible: Bool
  /// True when the key is on several devices.
  public var isBackedUp: Bool

  /// Creates a key with the properties that a provider found.
  public init(
    publicKey: [UInt8], signCount: UInt32, isUserVerified: Bool, isBackupEligible: Bool, isBackedUp: Bool
  ) {
    self.publicKey = publicKey
    self.signCount = signCount
    self.isUserVerified = isUserVerified
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
  }
}

/// The result of using a key, with the stored key. The client's fields are untrusted.
public struct PasskeyAssertion: Sendable {
  /// The challenge that was issued.
  public var challenge: [UInt8]
  /// The key as it was stored, with the counter of its last use.
  public var key: NewPasskey
  /// The client data as the browser sent it: JSON.
  public var clientDataJSON: [UInt8]
  /// The authenticator data as the browser sent it.
  public var authenticatorData: [UInt8]
  /// The signature over both.
  public var signature: [UInt8]

  /// Creates the use of a key as the server shows it, for tests of a provider.
  public init(
    challenge: [UInt8], key: NewPasskey, clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
  ) {
    self.challenge = challenge
    self.key = key
    self.clientDataJSON = clientDataJSON
    self.authenticatorData = authenticatorData
    self.signature = signature
  }
}

/// A valid use of a key.
public struct PasskeyUse: Sendable, Equatable {
  /// The authenticator's signature counter after this use.
  public var signCount: UInt32
  /// True when the authenticator verified the user: such a use counts as two factors.
  public var isUserVerified: Bool
  /// True when the key is on several devices by now.
  public var isBackedUp: Bool

  /// Creates a use with the properties that a provider found.
  public init(signCount: UInt32, isUserVerified: Bool, isBackedUp: Bool) {
    self.signCount = signCount
    self.isUserVerified = isUserVerified
    self.isBackedUp = isBackedUp
  }
}

/// The reason why a passkey was refused.
public struct PasskeyRefusal: Error, Sendable, Equatable {
  /// The part that is wrong, in one word for the audit trail: `origin`, `signature`, `counter`.
  public var reason: String
  /// A sentence for the app's developer, which the client gets: no secret in it.
  public var message: String

  /// Creates a refusal with the given text.
  public init(_ reason: String, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
