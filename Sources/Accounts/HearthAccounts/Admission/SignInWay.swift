import HearthCrypto
import HearthPlugin
import HearthTree

/// How somebody comes in.
package struct SignInWay: Sendable {
  /// As tokens show it.
  package let provider: String
  /// As ``provider``, but `emailLink` for a mailed link.
  package let method: String
  /// What another provider said of the person.
  package let credential: HookCredential?
  /// What tokens repeat of that, in `firebase.sign_in_attributes`: the text of a JSON object; nil for nothing.
  package let attributes: String?
  /// A passkey that verified the person, which stands for two factors.
  package let isUserVerified: Bool

  /// A way of that provider.
  ///
  /// - Parameters:
  ///   - method: nil for the provider's own name.
  ///   - isUserVerified: it is a passkey, and verified the person.
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

  /// By a link that was mailed.
  package static let emailLink = SignInWay(ProviderID.password, method: "emailLink")
  /// By an address and a password.
  package static let password = SignInWay(ProviderID.password)
}

extension HookCredential {
  /// What a hook is told that asked for those tokens.
  func told(_ wanted: Set<Token>) -> HookCredential {
    var told = self
    if !wanted.contains(.idToken) { told.idToken = nil }
    if !wanted.contains(.accessToken) {
      told.accessToken = nil
      told.tokenSecret = nil
      told.expiresInSeconds = nil
    }
    if !wanted.contains(.refreshToken) { told.refreshToken = nil }
    return told
  }
}
