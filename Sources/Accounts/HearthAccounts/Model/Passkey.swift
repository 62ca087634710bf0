/// A WebAuthn key that a user signs in with.
public struct Passkey: Sendable, Equatable {
  /// The credential id as browsers write it: base64url. Unique.
  public var id: String
  /// The name that the user gave it.
  public var name: String
  /// The public key in COSE's form, in base64url; empty for a passkey that a test of the emulator enrolled by its
  /// id alone, without an authenticator.
  public var publicKey: String
  /// The user handle in base64url: random, the same for all keys of a user.
  public var userHandle: String
  /// The authenticator's signature counter at the last use.
  public var signCount: Int64 = 0
  /// True when the authenticator verified the user at registration.
  public var isUserVerified = false
  /// True when the passkey can be copied to other devices.
  public var isBackupEligible = false
  /// True when it was backed up at its last use.
  public var isBackedUp = false
  /// The transports of the authenticator, as the browser reported: `internal`, `usb`, `hybrid`, …
  public var transports: [String] = []
  /// The time of enrolment, since 1970.
  public var enrolledAtMilliseconds: Int64
  /// The time of the last use, since 1970; nil before the first.
  public var lastUsedAtMilliseconds: Int64?

  /// The longest name in bytes.
  package static let nameBytesMax = 256
  /// The name of a key that was given none.
  package static let nameDefault = "Unnamed Passkey"

  /// Creates a passkey whose other properties, which the authenticator reports, have their defaults.
  public init(id: String, name: String, publicKey: String, userHandle: String, enrolledAtMilliseconds: Int64) {
    self.id = id
    self.name = name
    self.publicKey = publicKey
    self.userHandle = userHandle
    self.enrolledAtMilliseconds = enrolledAtMilliseconds
  }
}
