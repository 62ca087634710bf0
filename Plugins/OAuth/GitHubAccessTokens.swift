import HearthBytes
import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthTree

/// A check of GitHub's access tokens: the app's own endpoint, called with its ID and secret, accepts only tokens issued
/// for it.
struct GitHubAccessTokens: TokenCheck {
  let client: OAuthSettings.SecretClient
  let http: ProviderHTTP

  private static let api = "https://api.github.com"

  func identity(of token: ProviderToken) async throws(SignInRefusal) -> ForeignIdentity {
    let basic = Base64.encode(Array((client.id + ":" + client.secret).utf8))
    let check = try await http.ask(
      .post, Self.api + "/applications/" + PercentEncoding.encode(client.id) + "/token",
      headers: Self.headers("Basic " + basic), body: ["access_token": .string(token.text)])
    // 404: no token of this app; 422: no token at all.
    guard check.status == 200 else {
      throw [404, 422].contains(check.status) ? .accessTokenOfAnotherApp : ProviderHTTP.unavailable
    }
    guard check.json["app"]?["client_id"]?.string == client.id else { throw .accessTokenOfAnotherApp }
    guard let subject = ProfileText.id(check.json["user"]?["id"]) else { throw ProviderHTTP.unavailable }

    let bearer = Self.headers("Bearer " + token.text)
    async let emails = addresses(bearer)
    let profile = try await http.ask(.get, Self.api + "/user", headers: bearer)
    guard profile.status == 200, ProfileText.id(profile.json["id"]) == subject else { throw ProviderHTTP.unavailable }
    var identity = ForeignIdentity(rawID: subject)
    identity.profile = profile.json
    if let primary = await emails {
      identity.email = primary.email
      identity.isEmailVerified = primary.isVerified && client.emails.covers(primary.email)
    } else {
      identity.email = ProfileText.email(profile.json["email"])
    }
    identity.displayName = ProfileText.line(profile.json["name"])
    identity.screenName = ProfileText.line(profile.json["login"])
    identity.photoURL = ProfileText.url(profile.json["avatar_url"])
    return identity
  }

  /// Returns the primary address, or nil when the token's scope does not include it.
  private func addresses(_ headers: [OutboundHeader]) async -> (email: String, isVerified: Bool)? {
    guard let answer = try? await http.ask(.get, Self.api + "/user/emails", headers: headers), answer.status == 200,
      let primary = answer.json.array?.first(where: { $0["primary"]?.bool == true }),
      let email = ProfileText.email(primary["email"])
    else { return nil }
    return (email, primary["verified"]?.bool == true)
  }

  private static func headers(_ authorization: String) -> [OutboundHeader] {
    [OutboundHeader("Authorization", authorization), OutboundHeader("X-GitHub-Api-Version", "2022-11-28")]
  }
}
