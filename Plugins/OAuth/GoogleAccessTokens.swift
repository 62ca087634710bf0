import HearthOutbound
import HearthPlugin

/// A check of Google's access tokens: `tokeninfo` states their app, `userinfo` their user.
struct GoogleAccessTokens: TokenCheck {
  let clientIDs: [String]
  let emails: EmailAuthority
  let http: ProviderHTTP

  func identity(of token: ProviderToken) async throws(SignInRefusal) -> ForeignIdentity {
    let info = try await http.ask(
      .get, "https://oauth2.googleapis.com/tokeninfo", query: [("access_token", token.text)])
    guard info.status == 200 else { throw .unknownAccessToken }
    guard let audience = info.json["aud"]?.string, clientIDs.contains(audience) else { throw .accessTokenOfAnotherApp }
    if let party = info.json["azp"] {
      guard let party = party.string, clientIDs.contains(party) else { throw .accessTokenOfAnotherApp }
    }
    guard let subject = ProfileText.id(info.json["sub"]) else { throw ProviderHTTP.unavailable }

    let profile = try await http.ask(
      .get, "https://www.googleapis.com/oauth2/v3/userinfo",
      headers: [OutboundHeader("Authorization", "Bearer " + token.text)])
    guard profile.status == 200, ProfileText.id(profile.json["sub"]) == subject else { throw ProviderHTTP.unavailable }
    var identity = ForeignIdentity(rawID: subject)
    identity.profile = profile.json
    identity.email = ProfileText.email(profile.json["email"])
    if let email = identity.email {
      identity.isEmailVerified =
        ProfileText.isTrue(profile.json["email_verified"])
        && emails.covers(email, hostedDomain: profile.json["hd"]?.string)
    }
    identity.displayName = ProfileText.line(profile.json["name"])
    identity.firstName = ProfileText.line(profile.json["given_name"])
    identity.lastName = ProfileText.line(profile.json["family_name"])
    identity.photoURL = ProfileText.url(profile.json["picture"])
    return identity
  }
}
