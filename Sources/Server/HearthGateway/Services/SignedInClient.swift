import HearthAccounts
import HearthCrypto
import HearthEngine

/// A client that is signed in with a credential, for as long as the credential counts.
protocol SignedInClient: HubClient {
  var services: GatewayServices { get }
  var hub: LoopHub { get }
  /// What the client is signed in with; nil for nobody. Set through ``setCredential(_:)`` only.
  var credential: VerifiedCredential? { get set }

  /// False before the client's database is open.
  var hasDatabase: Bool { get }

  /// Hands something over to the client's database.
  func submit(_ action: Command.Action)
}

extension SignedInClient {
  /// Keeps the loop's index of credentials, by which a revocation finds its connections. A revocation is durable before
  /// the loop hears of it, and a credential is verified, indexed and put in line for the database in one turn of the
  /// loop: it is either refused, or found.
  func setCredential(_ next: VerifiedCredential?) {
    hub.credentials.replace(credential, with: next, of: id)
    credential = next
  }

  /// Something was revoked: ends the credential that the client is signed in with if it counts no longer.
  func reviewCredential(after revocation: Revocation, _ ticket: UInt64) -> Bool {
    guard let credential, services.gate.isEnded(credential, by: revocation) else { return false }
    setCredential(nil)
    submit(.endCredential(revocation: ticket))
    return hasDatabase
  }

  func endConsoleSession(_ session: UInt64) {
    guard credential?.consoleSession == session else { return }
    setCredential(nil)
    submit(.endCredential())
  }
}
