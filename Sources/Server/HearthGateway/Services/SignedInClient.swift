import HearthAccounts
import HearthCrypto
import HearthEngine

/// A client that is signed in with a credential, for as long as the credential is valid.
protocol SignedInClient: HubClient {
  var services: GatewayServices { get }
  var hub: LoopHub { get }
  /// The credential; nil for a signed-out client. Set through ``setCredential(_:)`` only.
  var credential: VerifiedCredential? { get set }

  /// False before the client's database is open.
  var hasDatabase: Bool { get }

  /// Submits an action to the client's database.
  func submit(_ action: Command.Action)
}

extension SignedInClient {
  /// Sets the credential in the loop's index, by which a revocation finds its connections. A revocation is durable
  /// before the loop gets it, and a credential is verified, indexed and queued for the database in one turn of the
  /// loop: it is either refused, or found.
  func setCredential(_ next: VerifiedCredential?) {
    hub.credentials.replace(credential, with: next, of: id)
    credential = next
  }

  /// Ends the client's credential if a revocation made it invalid.
  func reviewCredential(after revocation: Revocation, _ revocationNumber: UInt64) -> Bool {
    guard let credential, services.authenticator.isEnded(credential, by: revocation) else { return false }
    setCredential(nil)
    submit(.endCredential(revocation: revocationNumber))
    return hasDatabase
  }

  func endConsoleSession(_ session: UInt64) {
    guard credential?.consoleSession == session else { return }
    setCredential(nil)
    submit(.endCredential())
  }
}
