import HearthAccounts
import HearthCrypto
import HearthEngine
import NIOCore

/// Credentials that the server did not make: plugins say whose they are, and may have to be waited for.
extension CredentialGate {
  /// Who shows a credential, of the server's own or of somebody else's.
  ///
  /// - Parameters:
  ///   - now: one reading of the clocks for the whole request.
  ///   - origin: who shows the credential: a developer's counts from this machine only.
  ///   - takesConsole: whether credentials of the console's sessions count.
  ///   - takesAnyOwner: whether an emulator takes any credential for its administrator's: it was shown as one of Google's.
  ///   - loop: the one that the caller is on.
  ///   - later: called on that loop with the result when that is not there at once. A credential that it is given counts in
  ///     that turn of the loop, in which it must be put where revocations find it.
  /// - Returns: nil when a plugin is asked.
  func find(
    _ token: String, override: Override?, from origin: RequestOrigin, now: Instant, takesConsole: Bool = false,
    takesAnyOwner: Bool = false, on loop: any EventLoop,
    later: @escaping (Result<VerifiedCaller, CallerError>) -> Void
  ) -> Result<VerifiedCaller, CallerError>? {
    if let found = console?.find(token, now: now, opensSocket: takesConsole) {
      return caller(found, override: override, from: origin, now: now)
    }
    let own: Result<VerifiedCredential, CredentialError>
    do throws(CredentialError) {
      own = .success(try check(token, for: .database, from: origin, now: now))
    } catch {
      own = .failure(error)
    }
    if case .failure(let refusal) = own, refusal.code == .invalidToken {
      let bound = NIOLoopBound(later, eventLoop: loop)
      let shown = accounts.own.sessions.foreignTokens.show(token, from: origin.address, now: now) { waiting in
        loop.execute { bound.value(caller(foreign: waiting.take(), override: override, from: origin)) }
      }
      switch shown {
      case .asked: return nil
      case .known(let found): return caller(foreign: found, override: override, from: origin)
      case .nobodys: break
      }
      if takesAnyOwner, let owner = developerOwner(token, from: origin) {
        return caller(.success(owner), override: override, from: origin, now: now)
      }
    }
    return caller(own, override: override, from: origin, now: now)
  }

  /// The result of ``find(_:override:from:now:takesConsole:takesAnyOwner:on:later:)`` when it needs no plugin.
  ///
  /// - Returns: nil when somebody would have to be asked.
  func glance(
    _ token: String, override: Override?, from origin: RequestOrigin, now: Instant, takesAnyOwner: Bool = false
  ) -> Result<VerifiedCaller, CallerError>? {
    if let found = console?.find(token, now: now, opensSocket: false) {
      return caller(found, override: override, from: origin, now: now)
    }
    do throws(CredentialError) {
      let credential = try check(token, for: .database, from: origin, now: now)
      return Result { () throws(CallerError) in try caller(credential, override: override, now: now) }
    } catch {
      guard error.code == .invalidToken else { return .failure(Self.failure(error)) }
      switch accounts.own.sessions.foreignTokens.glance(at: token, now: now) {
      case .asked: return nil
      case .known(let found): return caller(foreign: found, override: override, from: origin)
      case .nobodys: break
      }
      guard takesAnyOwner, let owner = developerOwner(token, from: origin) else {
        return .failure(Self.failure(error))
      }
      return caller(.success(owner), override: override, from: origin, now: now)
    }
  }

  /// The administrator of an emulator, for a credential of any text. Logged at each use.
  private func developerOwner(_ token: String, from origin: RequestOrigin) -> VerifiedCredential? {
    let verifier = accounts.own.keys.verifier
    guard let owner = verifier.developerOwner(token, isFromLoopback: origin.isFromLoopback) else { return nil }
    log(owner, origin)
    return owner
  }

  private func caller(
    foreign found: Result<VerifiedCredential, ForeignTokenFailure>, override: Override?, from origin: RequestOrigin
  ) -> Result<VerifiedCaller, CallerError> {
    let verified: Result<VerifiedCredential, CredentialError>
    do throws(ForeignTokenFailure) {
      verified = .success(try found.get())
    } catch {
      switch error {
      case .undecided(let verifier, let reason):
        noteUndecided("plugin \(verifier) \(reason)", from: origin)
        return .failure(.undecided(text: "The plugin \(verifier) could not check the credential."))
      case .refused(let why, let verifier):
        verified = .failure(
          CredentialError(why == .expired ? .expiredToken : .invalidToken, reason: "refused by plugin \(verifier)"))
      }
    }
    let checked = verified.flatMap { credential in
      Result { () throws(CredentialError) in
        try requireInForce(credential)
        return credential
      }
    }
    // Read again: it may have taken a while.
    return caller(checked, override: override, from: origin, now: SystemClock.now)
  }

  private func caller(
    _ verified: Result<VerifiedCredential, CredentialError>, override: Override?, from origin: RequestOrigin,
    now: Instant
  ) -> Result<VerifiedCaller, CallerError> {
    do throws(CredentialError) {
      let credential = try verified.get()
      return Result { () throws(CallerError) in try caller(credential, override: override, now: now) }
    } catch {
      note(error, from: origin)
      return .failure(Self.failure(error))
    }
  }
}
