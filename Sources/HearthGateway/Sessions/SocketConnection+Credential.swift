import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthTree
import HearthWire

/// Who the client is, for as long as its credential counts.
extension SocketConnection {
  func verify(_ credential: Request.Credential) -> Result<VerifiedCaller, CallerError> {
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

  func submit(_ action: Command.Action) {
    commands.append(Command(connection: id, action: action))
    finish()
  }

  /// Large values that are on their way go first.
  func follow(_ mark: SentMark) {
    if behind != nil {
      behind?.append { $0.follow(mark) }
    } else {
      transport?.whenWritten { mark.sent() }
    }
  }

  func query(of name: ListenName) -> JSON? { name.tag.flatMap { session.queries.sent($0, at: name.path) } }
}
