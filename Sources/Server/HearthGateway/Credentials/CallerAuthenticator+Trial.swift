import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthTree

/// The reason why a token stands for no user. The text is for administrators.
package struct TokenTrialError: Error, Sendable {
  /// The reason, in a sentence.
  package var text: String
}

/// Tokens that an administrator tries rules with.
extension CallerAuthenticator {
  /// Returns `auth` as rules see it for the user of a token, of the server's own or a foreign one. The token is verified
  /// as that of a client; the refusal is neither counted nor logged.
  package func auth(
    ofUserToken token: String, for database: String, from origin: RequestOrigin, now: Instant
  ) async -> Result<JSON, TokenTrialError> {
    do throws(CredentialError) {
      let credential: VerifiedCredential
      do throws(CredentialError) {
        credential = try check(token, for: .database, from: origin, now: now)
      } catch {
        guard error.code == .invalidToken,
          let foreign = await accounts.own.sessions.foreignTokens.verify(token, from: origin.address, now: now)
        else { throw error }
        credential = try Self.credential(foreign.outcome)
        try requireInForce(credential)
        try require(credential, opens: database)
      }
      guard credential.authority == .user else {
        return .failure(TokenTrialError(text: "The token is not a user's. No rules apply to administrators."))
      }
      return .success(credential.authPayload.map(JSON.init) ?? .null)
    } catch {
      return .failure(TokenTrialError(text: "The token is not valid: \(error.reason)."))
    }
  }

  private static func credential(
    _ outcome: Result<VerifiedCredential, ForeignTokenFailure>
  ) throws(CredentialError) -> VerifiedCredential {
    do throws(ForeignTokenFailure) { return try outcome.get() } catch {
      switch error {
      case .undecided(let verifier, let reason):
        throw CredentialError(.unavailable, reason: "the \(verifier) \(reason)")
      case .refused(let why, let verifier):
        throw CredentialError(why == .expired ? .expiredToken : .invalidToken, reason: "refused by \(verifier)")
      }
    }
  }
}
