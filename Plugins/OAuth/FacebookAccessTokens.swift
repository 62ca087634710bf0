import HearthCrypto
import HearthOutbound
import HearthPlugin

/// A check of Facebook's access tokens: `debug_token`, called with the app's own token, states their app and user; the
/// profile is requested with a proof of the app's secret.
struct FacebookAccessTokens: TokenCheck {
  let client: OAuthSettings.SecretClient
  let http: ProviderHTTP

  private static let graph = "https://graph.facebook.com/v21.0"

  func identity(of token: ProviderToken) async throws(SignInRefusal) -> ForeignIdentity {
    let answer = try await http.ask(
      .get, Self.graph + "/debug_token",
      query: [("input_token", token.text), ("access_token", client.id + "|" + client.secret)])
    guard answer.status == 200, let data = answer.json["data"] else { throw .unknownAccessToken }
    guard ProfileText.id(data["app_id"]) == client.id else { throw .accessTokenOfAnotherApp }
    guard data["is_valid"]?.bool == true, data["type"].map({ $0.string == "USER" }) ?? true,
      let subject = ProfileText.id(data["user_id"])
    else { throw .unknownAccessToken }
    // 0 is a token that does not expire.
    if let end = data["expires_at"]?.int, end != 0, end <= token.nowSeconds { throw .unknownAccessToken }

    guard let proof = MessageAuthenticationCode.hmacSHA256(Array(token.text.utf8), key: Array(client.secret.utf8))
    else {
      throw ProviderHTTP.unavailable
    }
    let profile = try await http.ask(
      .get, Self.graph + "/me",
      query: [
        ("fields", "id,name,first_name,last_name,email,picture.type(large){url}"), ("access_token", token.text),
        ("appsecret_proof", Digest.hexadecimal(proof)),
      ])
    guard profile.status == 200, ProfileText.id(profile.json["id"]) == subject else { throw ProviderHTTP.unavailable }
    var identity = ForeignIdentity(rawID: subject)
    identity.profile = profile.json
    identity.email = ProfileText.email(profile.json["email"])
    // Facebook does not state whether an address was verified.
    if let email = identity.email { identity.isEmailVerified = client.emails.covers(email) }
    identity.displayName = ProfileText.line(profile.json["name"])
    identity.firstName = ProfileText.line(profile.json["first_name"])
    identity.lastName = ProfileText.line(profile.json["last_name"])
    identity.photoURL = ProfileText.url(profile.json["picture"]?["data"]?["url"])
    return identity
  }
}
