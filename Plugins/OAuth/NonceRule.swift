import HearthCrypto

/// The relation between the nonce in an ID token and the one in the request.
enum NonceRule: String, Sendable, CaseIterable {
  /// The token contains the request's nonce.
  case exact
  /// The token contains the SHA-256 of the request's nonce, so that a party that only saw the token cannot use it.
  case hashed
  /// The token contains the request's nonce or its SHA-256.
  case either
  /// The same as `either` when the request has a nonce; otherwise the token's nonce is ignored, for clients that cannot know it,
  /// such as Google Sign-In on iOS.
  case optional

  /// Returns the expected nonce of the token.
  ///
  /// - Parameter nonce: The request's nonce.
  func expectation(_ nonce: String?) -> ForeignNonce {
    guard let nonce, !nonce.isEmpty else { return self == .optional ? .unchecked : .absent }
    return switch self {
    case .exact: .exactly(nonce)
    case .hashed: .hashed(nonce)
    case .either, .optional: .exactlyOrHashed(nonce)
    }
  }
}
