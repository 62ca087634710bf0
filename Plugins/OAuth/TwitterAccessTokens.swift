import HearthCrypto
import HearthOutbound
import HearthPlugin

/// A check of access tokens of Twitter, now X, in its OAuth 1.0a form: the request is signed with the app's key and
/// secret and the user's, for which other apps' tokens are invalid.
struct TwitterAccessTokens: TokenCheck {
  let client: OAuthSettings.SecretClient
  let http: ProviderHTTP
  let random: RandomBytes

  private static let url = "https://api.twitter.com/1.1/account/verify_credentials.json"

  func identity(of token: ProviderToken) async throws(SignInRefusal) -> ForeignIdentity {
    guard let secret = token.parameters["oauth_token_secret"], !secret.isEmpty, secret.utf8.count <= 1_024 else {
      throw SignInRefusal(.invalidCredential, "The credential has no oauth_token_secret.")
    }
    guard let nonce = try? random.alphanumeric(length: 32) else { throw ProviderHTTP.unavailable }
    let query = [("include_email", "true"), ("include_entities", "false"), ("skip_status", "true")]
    let authorization = OAuth1.authorization(
      method: "GET", url: Self.url, parameters: query.map { (name: $0.0, value: $0.1) }, consumerKey: client.id,
      consumerSecret: client.secret, token: token.text, tokenSecret: secret, nonce: nonce, timestamp: token.nowSeconds)
    let profile = try await http.ask(
      .get, Self.url, query: query, headers: [OutboundHeader("Authorization", authorization)])
    guard profile.status == 200 else {
      throw [401, 403].contains(profile.status) ? .unknownAccessToken : ProviderHTTP.unavailable
    }
    guard let subject = ProfileText.id(profile.json["id_str"]) else { throw ProviderHTTP.unavailable }
    if let claimed = token.parameters["user_id"], !claimed.isEmpty, claimed != subject {
      throw SignInRefusal(.invalidProviderResponse, "The access token belongs to another user.")
    }
    var identity = ForeignIdentity(rawID: subject)
    identity.profile = profile.json
    identity.email = ProfileText.email(profile.json["email"])
    if let email = identity.email { identity.isEmailVerified = client.emails.covers(email) }
    identity.displayName = ProfileText.line(profile.json["name"])
    identity.screenName = ProfileText.line(profile.json["screen_name"])
    identity.photoURL = ProfileText.url(profile.json["profile_image_url_https"])
    return identity
  }
}
