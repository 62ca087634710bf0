import HearthCrypto
import HearthEngine

/// What the gateway is told of the console's sessions, whose credentials open sockets and nothing else.
package struct ConsoleCredentials: Sendable {
  /// What the text is worth; nil for one that is none of the console's.
  let find: @Sendable (_ text: String, _ now: Instant) -> Result<VerifiedCredential, CredentialError>?
  /// True when the session of that number has not ended.
  let isOpen: @Sendable (_ session: UInt64) -> Bool

  /// Asks the console, from any thread.
  package init(
    find: @escaping @Sendable (_ text: String, _ now: Instant) -> Result<VerifiedCredential, CredentialError>?,
    isOpen: @escaping @Sendable (_ session: UInt64) -> Bool
  ) {
    (self.find, self.isOpen) = (find, isOpen)
  }

  /// What it is worth where sockets are opened, or elsewhere. Nobody else is to be asked about it.
  func find(_ text: String, now: Instant, opensSocket: Bool) -> Result<VerifiedCredential, CredentialError>? {
    guard let found = find(text, now) else { return nil }
    return opensSocket
      ? found : .failure(CredentialError(.invalidToken, reason: "a credential of the console is for sockets"))
  }
}
