import HearthPlugin

/// Refusals of access tokens, with texts for clients.
extension SignInRefusal {
  static let unknownAccessToken = SignInRefusal(
    .invalidProviderResponse, "The provider does not know the access token.")
  /// The typical flaw of home-made sign-ins: they check whose token it is, and not for which app it was issued.
  static let accessTokenOfAnotherApp = SignInRefusal(
    .invalidProviderResponse, "The access token was issued for another app.")
}
