import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthTree
import HearthWire

/// The client's authentication, for as long as its credential is valid.
extension SocketConnection {
  /// Verifies a credential.
  ///
  /// - Returns: nil when a plugin must be called first; then ``verified(_:)`` follows.
  func verify(_ credential: Request.Credential) -> Result<VerifiedCaller, CallerError>? {
    let override = credential.override.map { override in
      switch override {
      case .auth(let auth): CallerAuthenticator.Override.auth(auth)
      case .signedOut: CallerAuthenticator.Override.signedOut
      }
    }
    let found = services.authenticator.find(
      credential.token, for: opening.namespace, override: override, from: opening.origin, now: SystemClock.now,
      acceptsConsoleCredentials: true, acceptsDeveloperOwner: credential.isGoogleToken, on: hub.loop
    ) { result in self.verified(result) }
    guard let found else {
      isVerifying = true
      setReading(false)
      return nil
    }
    if case .success(let caller) = found { setCredential(caller.credential) }
    return found
  }

  /// Takes the result that ``verify(_:)`` could not return at once.
  private func verified(_ result: Result<VerifiedCaller, CallerError>) {
    guard transport != nil, isVerifying else { return }
    isVerifying = false
    setReading(true)
    if case .success(let caller) = result { setCredential(caller.credential) }
    var outputs: [ClientSession.Output] = []
    session.verified(result, into: &outputs)
    perform(outputs)
    finish()
  }

  func submit(_ action: Command.Action) {
    commands.append(Command(connection: id, action: action))
    finish()
  }

  /// Adds a mark behind the queued messages, including large values that are still being encoded.
  func track(_ mark: SentMark) {
    if deferred != nil {
      deferred?.append { $0.track(mark) }
    } else {
      transport?.whenWritten { mark.sent() }
    }
  }

  func query(of name: ListenName) -> JSON? { name.tag.flatMap { session.queries.sent($0, at: name.path) } }
}
