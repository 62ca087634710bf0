import HearthCrypto

/// What became of a token that the server did not make.
enum ForeignTokenOutcome: Sendable, Equatable {
  /// It counts.
  case accepted(VerifiedCredential)
  /// It does not.
  case refused(ForeignTokenRefusal)
  /// Its verifier has not decided; the words follow its name.
  case undecided(String)
}

/// The reason why a token that the server did not make does not count.
package enum ForeignTokenRefusal: Sendable, Equatable {
  /// It never did.
  case invalid
  /// It did once.
  case expired
}

/// The reason why a token that the server did not make leads to nobody.
package enum ForeignTokenFailure: Error, Sendable, Equatable {
  /// It does not count, by the word of its verifier.
  case refused(ForeignTokenRefusal, verifier: String)
  /// Its verifier has not decided. A sentence for the log.
  case undecided(verifier: String, reason: String)
}
