import HearthPlugin

/// Refusals of access tokens, with texts for clients.
extension SignInRefusal {
  static let unknownAccessToken = SignInRefusal(
    .invalidProviderResponse, "The provider does not know the access token.")
  /// The refusal of a token that the provider issued for another app. Checking only the token's user is a common mistake: any other
  /// app could then sign its users in here.
  static let accessTokenOfAnotherApp = SignInRefusal(
    .invalidProviderResponse, "The access token was issued for another app.")
}
