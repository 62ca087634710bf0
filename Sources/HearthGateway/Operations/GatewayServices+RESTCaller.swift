import HearthEngine
import HearthTransport

/// Who sends a request over REST, by the credential that it shows.
extension GatewayServices {
  /// - Parameter credential: nil for a request that shows none.
  /// - Throws: what a credential that does not count is answered.
  func caller(
    of credential: RESTCredential?, from origin: RequestOrigin, now: Instant
  ) throws(RESTFailure) -> VerifiedCaller {
    guard let credential else { return .signedOut }
    do throws(CallerError) {
      return try gate.caller(credential.token, override: credential.override, from: origin, now: now)
    } catch {
      throw failure(error, credential.place)
    }
  }

  private func failure(_ error: CallerError, _ place: RESTCredential.Place) -> RESTFailure {
    switch (error, place) {
    case (.refused(.expiredToken, _), _): return .expiredToken
    case (.refused(.permissionDenied, _), _), (.refused, .bearer): return .unauthorized
    case (.refused, .auth): return .brokenToken
    case (.unavailable(let reason), _):
      logger.error("a credential could not be checked", metadata: ["reason": "\(reason)"])
      return RESTFailure(500, "The credential could not be checked.")
    }
  }
}
