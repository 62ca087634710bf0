/// A key of WebAuthn that a user signs in with.
public struct Passkey: Sendable, Equatable {
  /// Its id, as browsers write it: base64url. Unique.
  public var id: String
  /// What the user calls it.
  public var name: String
  /// Its public half in COSE's form, in base64url; empty for one that an emulator's test suite only named.
  public var publicKey: String
  /// What the authenticator knows the user by, in base64url: random, the same for all keys of a user.
  public var userHandle: String
  /// What its counter said the last time.
  public var signCount: Int64 = 0
  /// The authenticator verified the user when the key was made.
  public var isUserVerified = false
  /// It can be copied to other devices.
  public var isBackupEligible = false
  /// It was the last time it was used.
  public var isBackedUp = false
  /// How the authenticator is reached, as the browser said: `internal`, `usb`, `hybrid`, …
  public var transports: [String] = []
  /// Since 1970.
  public var enrolledAtMilliseconds: Int64
  /// Since 1970; nil before its first use.
  public var lastUsedAtMilliseconds: Int64?

  /// The longest name in bytes.
  package static let nameBytesMax = 256
  /// What a key is called that was given no name.
  package static let nameDefault = "Unnamed Passkey"

  /// A key of which nothing but its ids is known.
  public init(id: String, name: String, publicKey: String, userHandle: String, enrolledAtMilliseconds: Int64) {
    self.id = id
    self.name = name
    self.publicKey = publicKey
    self.userHandle = userHandle
    self.enrolledAtMilliseconds = enrolledAtMilliseconds
  }
}
