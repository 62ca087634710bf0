import HearthCrypto
import HearthEngine
import HearthTree
import HearthWire

/// Who stands behind a request or a socket, once the credential was verified.
struct VerifiedCaller: Sendable {
  var principal: Principal
  /// What a socket's sign-in is answered: `auth` as rules see it, and when the credential ends.
  var claims: JSON
  /// The credential asks for writes to be tried and not done.
  var isSimulating: Bool
  /// The verified credential, kept as long as the connection; nil when nobody is signed in.
  var credential: VerifiedCredential?
  /// What the caller may do, also while rules see it as somebody else.
  var authority: Authority { credential?.authority ?? .signedOut }

  static let signedOut = VerifiedCaller(principal: .signedOut, claims: .null, isSimulating: false)
}

/// The reason why a credential leads to no caller.
enum CallerError: Error, Sendable {
  /// The status and text for the client.
  case refused(Status, text: String)
  /// The server could not decide. No answer to give a client; the text is for the log.
  case unavailable(reason: String)
  /// A plugin that was to say whose the credential is has not decided. The text names it, for the client and the log.
  case undecided(text: String)
}
