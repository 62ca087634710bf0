import HearthAccounts
import HearthCrypto
import HearthEngine
import NIOCore

/// Credentials that the server did not make: plugins and trusted issuers verify them, which may take time.
extension CallerAuthenticator {
  /// Verifies a credential, of the server's own or a foreign one.
  ///
  /// - Parameters:
  ///   - database: the database that the credential opens. A trusted issuer's tokens may open only some.
  ///   - now: one reading of the clocks for the whole request.
  ///   - origin: the origin of the request: a developer's credential is valid from this machine only.
  ///   - acceptsConsoleCredentials: true when credentials of the console's sessions are valid.
  ///   - acceptsDeveloperOwner: true when an emulator accepts any text as its administrator's credential, because the request
  ///     presented the text as a Google credential.
  ///   - loop: the caller's event loop.
  ///   - later: called on that loop with a result that is not available at once. The credential is valid only in that turn of the
  ///     loop: in it the caller must also register the credential for revocations.
  /// - Returns: nil when a plugin is called.
  func find(
    _ token: String, for database: String, override: Override?, from origin: RequestOrigin, now: Instant,
    acceptsConsoleCredentials: Bool = false,
    acceptsDeveloperOwner: Bool = false, on loop: any EventLoop,
    later: @escaping (Result<VerifiedCaller, CallerError>) -> Void
  ) -> Result<VerifiedCaller, CallerError>? {
    if let found = console?.find(token, now: now, opensSocket: acceptsConsoleCredentials) {
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
      let lookup = accounts.own.sessions.foreignTokens.lookUp(token, from: origin.address, now: now) { waiting in
        loop.execute { bound.value(caller(foreign: waiting.take(), for: database, override: override, from: origin)) }
      }
      switch lookup {
      case .pending: return nil
      case .known(let found): return caller(foreign: found, for: database, override: override, from: origin)
      case .unhandled: break
      }
      if acceptsDeveloperOwner, let owner = developerOwner(token, from: origin) {
        return caller(.success(owner), override: override, from: origin, now: now)
      }
    }
    return caller(own, override: override, from: origin, now: now)
  }

  /// Returns the result of ``find(_:for:override:from:now:acceptsConsoleCredentials:acceptsDeveloperOwner:on:later:)`` when it
  /// needs no plugin.
  ///
  /// - Parameter database: nil before the database of a request is known; a later check has it.
  /// - Returns: nil when a plugin would have to be called.
  func findWithoutPlugin(
    _ token: String, for database: String?, override: Override?, from origin: RequestOrigin, now: Instant,
    acceptsDeveloperOwner: Bool = false
  ) -> Result<VerifiedCaller, CallerError>? {
    if let found = console?.find(token, now: now, opensSocket: false) {
      return caller(found, override: override, from: origin, now: now)
    }
    do throws(CredentialError) {
      let credential = try check(token, for: .database, from: origin, now: now)
      return Result { () throws(CallerError) in try caller(credential, override: override, now: now) }
    } catch {
      guard error.code == .invalidToken else { return .failure(Self.failure(error)) }
      switch accounts.own.sessions.foreignTokens.lookUpCached(token, now: now) {
      case .pending: return nil
      case .known(let found): return caller(foreign: found, for: database, override: override, from: origin)
      case .unhandled: break
      }
      guard acceptsDeveloperOwner, let owner = developerOwner(token, from: origin) else {
        return .failure(Self.failure(error))
      }
      return caller(.success(owner), override: override, from: origin, now: now)
    }
  }

  /// Returns the administrator of an emulator, for a credential of any text. Logged at each use.
  private func developerOwner(_ token: String, from origin: RequestOrigin) -> VerifiedCredential? {
    let verifier = accounts.own.keys.verifier
    guard let owner = verifier.developerOwner(token, isFromLoopback: origin.isFromLoopback) else { return nil }
    log(owner, origin)
    return owner
  }

  /// Checks that a trusted issuer's token opens a database.
  func require(_ credential: VerifiedCredential, opens database: String) throws(CredentialError) {
    guard let voucher = credential.voucher, !voucher.opens(database) else { return }
    throw CredentialError(.invalidToken, reason: "\(voucher.verifier) is not trusted for the database \(database)")
  }

  private func caller(
    foreign found: Result<VerifiedCredential, ForeignTokenFailure>, for database: String?, override: Override?,
    from origin: RequestOrigin
  ) -> Result<VerifiedCaller, CallerError> {
    let verified: Result<VerifiedCredential, CredentialError>
    do throws(ForeignTokenFailure) {
      verified = .success(try found.get())
    } catch {
      switch error {
      case .undecided(let verifier, let reason):
        noteUndecided("\(verifier) \(reason)", from: origin)
        return .failure(.undecided(text: "The \(verifier) could not check the credential."))
      case .refused(let why, let verifier):
        verified = .failure(
          CredentialError(why == .expired ? .expiredToken : .invalidToken, reason: "refused by \(verifier)"))
      }
    }
    let checked = verified.flatMap { credential in
      Result { () throws(CredentialError) in
        try requireInForce(credential)
        if let database { try require(credential, opens: database) }
        return credential
      }
    }
    // The clock is read again: the plugin may have taken a while.
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
