import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthWire

/// Who the client is, for as long as its credential counts.
extension SocketConnection {
  func verify(_ credential: Request.Credential) -> Result<Caller, CallerError> {
    let override = credential.override.map { override in
      switch override {
      case .auth(let auth): CredentialGate.Override.auth(auth)
      case .signedOut: CredentialGate.Override.signedOut
      }
    }
    do {
      let caller = try services.gate.caller(
        credential.token, override: override, from: opening.origin, now: SystemClock.now)
      setCredential(caller.credential)
      return .success(caller)
    } catch {
      return .failure(error)
    }
  }

  /// Keeps the loop's index of credentials, by which a revocation finds its connections. A revocation is durable before
  /// the loop hears of it, and a credential is verified, indexed and put in line for the database in one turn of the
  /// loop: it is either refused, or found.
  func setCredential(_ next: VerifiedCredential?) {
    hub.credentials.replace(credential, with: next, of: id)
    credential = next
  }

  /// Something was revoked: ends the credential that the client is signed in with if it counts no longer.
  func reviewCredential(after revocation: Revocation) {
    guard let credential, services.gate.isEnded(credential, by: revocation) else { return }
    setCredential(nil)
    commands.append(Command(connection: id, action: .endCredential))
    finish()
  }
}
