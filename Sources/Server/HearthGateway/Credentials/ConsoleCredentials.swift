import HearthCrypto
import HearthEngine

/// The gateway's view of the console's sessions, whose credentials open sockets and give no other access.
package struct ConsoleCredentials: Sendable {
  /// Verifies a credential; nil for a text that is none of the console's.
  let find: @Sendable (_ text: String, _ now: Instant) -> Result<VerifiedCredential, CredentialError>?
  /// Returns true when the session of that number has not ended.
  let isOpen: @Sendable (_ session: UInt64) -> Bool

  /// Creates a view with these functions, which are called from any thread.
  package init(
    find: @escaping @Sendable (_ text: String, _ now: Instant) -> Result<VerifiedCredential, CredentialError>?,
    isOpen: @escaping @Sendable (_ session: UInt64) -> Bool
  ) {
    (self.find, self.isOpen) = (find, isOpen)
  }

  /// Verifies a credential of the console; refuses it where no socket is opened. Nil for another kind of credential.
  func find(_ text: String, now: Instant, opensSocket: Bool) -> Result<VerifiedCredential, CredentialError>? {
    guard let found = find(text, now) else { return nil }
    return opensSocket
      ? found : .failure(CredentialError(.invalidToken, reason: "console credentials are valid for sockets only"))
  }
}
