import HearthEngine
import HearthTransport
import NIOCore

/// The authentication of REST requests by their credential.
extension GatewayServices {
  /// Returns the caller by a credential of the server's own.
  ///
  /// - Parameter credential: nil for a request without one.
  /// - Throws: the response to an invalid credential.
  func caller(
    of credential: RESTCredential?, from origin: RequestOrigin, now: Instant
  ) throws(RESTFailure) -> VerifiedCaller {
    guard let credential else { return .signedOut }
    do throws(CallerError) {
      return try authenticator.caller(credential.token, override: credential.override, from: origin, now: now)
    } catch {
      throw failure(error, credential.source, origin)
    }
  }

  /// Finds the caller by any credential, including those that plugins verify.
  ///
  /// - Parameters:
  ///   - database: the database of the request.
  ///   - loop: the caller's event loop.
  ///   - found: called on that loop, at once or later. A credential is valid in that turn of the loop.
  func find(
    _ credential: RESTCredential?, for database: String, from origin: RequestOrigin, now: Instant,
    on loop: any EventLoop, found: @escaping (Result<VerifiedCaller, RESTFailure>) -> Void
  ) {
    guard let credential else { return found(.success(.signedOut)) }
    let source = credential.source
    let result = authenticator.find(
      credential.token, for: database, override: credential.override, from: origin, now: now,
      acceptsDeveloperOwner: credential.isHeader,
      on: loop
    ) { result in found(result.mapError { failure($0, source, origin) }) }
    if let result { found(result.mapError { failure($0, source, origin) }) }
  }

  /// Returns the result that needs no plugin.
  ///
  /// - Parameter database: the database of the request; nil before it is known.
  /// - Returns: nil when a plugin would have to be called.
  func findWithoutPlugin(
    at credential: RESTCredential, for database: String?, from origin: RequestOrigin, now: Instant
  ) throws(RESTFailure) -> VerifiedCaller? {
    let result = authenticator.findWithoutPlugin(
      credential.token, for: database, override: credential.override, from: origin, now: now,
      acceptsDeveloperOwner: credential.isHeader)
    return try result?.mapError { failure($0, credential.source, origin) }.get()
  }

  private func failure(
    _ error: CallerError, _ source: RESTCredential.Source, _ origin: RequestOrigin
  ) -> RESTFailure {
    switch (error, source) {
    case (.refused(.expiredToken, _), _): return .expiredToken
    case (.refused(.permissionDenied, _), _), (.refused, .bearer): return .unauthorized
    case (.refused, .auth): return .brokenToken
    case (.undecided(let text), _): return RESTFailure(503, text)
    case (.unavailable(let reason), _):
      logger.error(
        "a credential could not be checked", metadata: ["reason": "\(reason)", "request": "\(origin.requestID)"])
      return RESTFailure(500, "The credential could not be checked.")
    }
  }
}
