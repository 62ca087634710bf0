import HearthCrypto

/// How the nonce in an ID token relates to the one in the request.
enum NonceRule: String, Sendable, CaseIterable {
  /// The token has the request's nonce.
  case exact
  /// The token has the SHA-256 of the request's nonce: who only saw the token cannot use it.
  case hashed
  /// One of the two.
  case either
  /// As `either` when the request has one, and otherwise not looked at: for clients that cannot tell the nonce, such as
  /// Google's on iOS.
  case optional

  /// - Parameter nonce: the request's.
  func expectation(_ nonce: String?) -> ForeignNonce {
    guard let nonce, !nonce.isEmpty else { return self == .optional ? .unchecked : .absent }
    return switch self {
    case .exact: .exactly(nonce)
    case .hashed: .hashed(nonce)
    case .either, .optional: .exactlyOrHashed(nonce)
    }
  }
}
