import HearthCrypto
import HearthPlugin
import HearthTree

/// The provider and the method of a sign-in, with the credential of another provider.
package struct SignInContext: Sendable {
  /// The provider's id, as tokens show it.
  package let provider: String
  /// The method: ``provider``, or `emailLink` for a mailed link.
  package let method: String
  /// The credential from another provider.
  package let credential: HookCredential?
  /// The attributes of that credential which tokens repeat in `firebase.sign_in_attributes`: the text of a JSON object;
  /// nil for none.
  package let attributes: String?
  /// True for a passkey that verified the user, which counts as two factors.
  package let isUserVerified: Bool

  /// Creates the context of a sign-in by a provider.
  ///
  /// - Parameters:
  ///   - method: the sign-in method; nil for the provider's own name.
  ///   - isUserVerified: true for a passkey that verified the user.
  package init(
    _ provider: String, method: String? = nil, credential: HookCredential? = nil, attributes: String? = nil,
    isUserVerified: Bool = false
  ) {
    self.isUserVerified = isUserVerified
    self.provider = provider
    self.method = method ?? provider
    self.credential = credential
    self.attributes = attributes
  }

  /// A sign-in with a mailed link.
  package static let emailLink = SignInContext(ProviderID.password, method: "emailLink")
  /// A sign-in with an address and a password.
  package static let password = SignInContext(ProviderID.password)
}

extension HookCredential {
  /// Returns the credential with only the tokens that a hook has requested.
  func limited(to wanted: Set<Token>) -> HookCredential {
    var credential = self
    if !wanted.contains(.idToken) { credential.idToken = nil }
    if !wanted.contains(.accessToken) {
      credential.accessToken = nil
      credential.tokenSecret = nil
      credential.expiresInSeconds = nil
    }
    if !wanted.contains(.refreshToken) { credential.refreshToken = nil }
    return credential
  }
}
