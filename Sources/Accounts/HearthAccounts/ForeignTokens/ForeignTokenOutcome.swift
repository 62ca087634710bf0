import HearthCrypto

/// The outcome of verifying a token that the server did not issue.
enum ForeignTokenOutcome: Sendable, Equatable {
  /// The token is valid.
  case accepted(VerifiedCredential)
  /// The token is invalid.
  case refused(ForeignTokenRefusal)
  /// The verifier has not decided; the text continues a sentence that begins with the verifier's name.
  case undecided(String)
}

/// The reason why a token that the server did not issue is invalid.
package enum ForeignTokenRefusal: Sendable, Equatable {
  /// The token was never valid.
  case invalid
  /// The token was valid once.
  case expired
}

/// The reason why a token that the server did not issue authenticates no user.
///
/// `verifier` is the verifier in a sentence, such as `plugin checker`.
package enum ForeignTokenFailure: Error, Sendable, Equatable {
  /// The verifier refused the token.
  case refused(ForeignTokenRefusal, verifier: String)
  /// The verifier has not decided. The reason is a sentence for the log.
  case undecided(verifier: String, reason: String)
}
