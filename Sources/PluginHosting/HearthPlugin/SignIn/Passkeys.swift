/// A provider of passkeys: keys of WebAuthn (FIDO2) that a person's device or password manager keeps for a domain.
///
/// Challenges, the keys of accounts and who may come in are the server's affair; a provider knows the relying party and
/// the rules by which what a browser and its authenticator sent is checked. It is asked by ``register(_:)`` and
/// ``use(_:)`` alone: a passkey is no credential of ``SignInProvider/answer(_:)``.
public protocol PasskeyProvider: SignInProvider {
  /// Whom the keys are for. Asked with every request; it must not change.
  var relyingParty: PasskeyRelyingParty { get }

  /// Checks a key that was made.
  ///
  /// - Throws: ``PasskeyRefusal`` for one that is not as it has to be.
  func register(_ registration: PasskeyRegistration) throws(PasskeyRefusal) -> NewPasskey

  /// Checks the use of a key.
  ///
  /// - Throws: ``PasskeyRefusal`` for one that proves nothing.
  func use(_ assertion: PasskeyAssertion) throws(PasskeyRefusal) -> PasskeyUse
}

/// Whom passkeys are for, and what is asked of them.
public struct PasskeyRelyingParty: Sendable, Equatable {
  /// The domain that keys are bound to: `example.com`.
  public var id: String
  /// What people are shown when a key is made.
  public var name: String
  /// Authenticators have to verify the person; otherwise they may.
  public var requiresUserVerification = true
  /// An account that has a passkey is let in by its passkeys alone.
  public var isRequiredOnceEnrolled = false
  /// Keys of one account.
  public var keysMax = 10
  /// The ways to sign that keys may have, by COSE's numbers, the best first.
  public var algorithms: [Int64] = []

  /// A relying party whose keys have to verify people.
  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

/// What came of making a key. All of it but the challenge is untrusted.
public struct PasskeyRegistration: Sendable {
  /// The one that was given out for this person.
  public var challenge: [UInt8]
  /// The key's id.
  public var credentialID: [UInt8]
  /// What the browser says that it was asked for: JSON.
  public var clientDataJSON: [UInt8]
  /// What the authenticator says of the key: CBOR.
  public var attestationObject: [UInt8]

  /// A registration as the server shows it, for tests of a provider.
  public init(challenge: [UInt8], credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8]) {
    self.challenge = challenge
    self.credentialID = credentialID
    self.clientDataJSON = clientDataJSON
    self.attestationObject = attestationObject
  }
}

/// A key that was made, as the server keeps it.
public struct NewPasskey: Sendable, Equatable {
  /// Its public half, in a form that the provider reads again.
  public var publicKey: [UInt8]
  /// What its counter says.
  public var signCount: UInt32
  /// True when the authenticator verified the person.
  public var isUserVerified: Bool
  /// True when it can be copied to other devices.
  public var isBackupEligible: Bool
  /// True when it is.
  public var isBackedUp: Bool

  /// A key as a provider found it to be.
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

/// What came of using a key, and what is known of the key. What is sent is untrusted.
public struct PasskeyAssertion: Sendable {
  /// The one that was given out.
  public var challenge: [UInt8]
  /// As the key was kept, with the counter of its last use.
  public var key: NewPasskey
  /// Sent: what the browser says that it was asked for, JSON.
  public var clientDataJSON: [UInt8]
  /// Sent: what the authenticator says.
  public var authenticatorData: [UInt8]
  /// Sent: over both.
  public var signature: [UInt8]

  /// The use of a key as the server shows it, for tests of a provider.
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

/// A key that was rightly used.
public struct PasskeyUse: Sendable, Equatable {
  /// What its counter says now.
  public var signCount: UInt32
  /// True when the authenticator verified the person: such a key stands for two factors.
  public var isUserVerified: Bool
  /// True when the key is on several devices by now.
  public var isBackedUp: Bool

  /// A use as a provider found it to be.
  public init(signCount: UInt32, isUserVerified: Bool, isBackedUp: Bool) {
    self.signCount = signCount
    self.isUserVerified = isUserVerified
    self.isBackedUp = isBackedUp
  }
}

/// The reason why a passkey is not taken.
public struct PasskeyRefusal: Error, Sendable, Equatable {
  /// One word for the part that is wrong, for the audit trail: `origin`, `signature`, `counter`.
  public var reason: String
  /// A sentence for the app's developer, which the client gets: no secret in it.
  public var message: String

  /// A refusal with these words.
  public init(_ reason: String, _ message: String) {
    self.reason = reason
    self.message = message
  }
}
