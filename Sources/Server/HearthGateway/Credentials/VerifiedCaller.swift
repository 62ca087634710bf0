import HearthCrypto
import HearthEngine
import HearthTree
import HearthWire

/// The caller of a request or a socket, after its credential was verified.
struct VerifiedCaller: Sendable {
  var principal: Principal
  /// The response to a socket's sign-in: `auth` as rules see it, and the credential's expiry.
  var claims: JSON
  /// True when the credential asks for writes to be evaluated and not carried out.
  var isSimulating: Bool
  /// The verified credential, kept as long as the connection; nil for a signed-out client.
  var credential: VerifiedCredential?
  /// The caller's authority, also while rules see it as another identity.
  var authority: Authority { credential?.authority ?? .signedOut }

  static let signedOut = VerifiedCaller(principal: .signedOut, claims: .null, isSimulating: false)
}

/// The reason why a credential yields no caller.
enum CallerError: Error, Sendable {
  /// The credential is refused, with this status and text for the client.
  case refused(Status, text: String)
  /// The server could not decide. Not an answer for the client; the text is for the log.
  case unavailable(reason: String)
  /// The plugin for the credential has not decided. The text names it, for the client and the log.
  case undecided(text: String)
}
