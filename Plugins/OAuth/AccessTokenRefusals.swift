import HearthPlugin

/// What clients are told about access tokens.
extension SignInRefusal {
  static let unknownAccessToken = SignInRefusal(
    .invalidProviderResponse, "The provider does not know the access token.")
  /// The hole of home-made sign-ins: asking whose token it is, and not for which app it was made.
  static let accessTokenOfAnotherApp = SignInRefusal(
    .invalidProviderResponse, "The access token was made for another app.")
}
