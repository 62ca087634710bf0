import HearthBytes
import HearthCrypto
import Testing

/// Tests of the tokens that may be sent to an external verifier: none that the server itself could have issued.
@Suite struct ForeignTokenFormTests {
  static func jwt(_ header: String, _ payload: String, signature: String = "c2ln") -> String {
    "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(payload.utf8))).\(signature)"
  }

  @Test(
    "tokens of other issuers are recognized by their issuer",
    arguments: [
      (jwt(#"{"alg":"RS256","typ":"JWT","kid":"1"}"#, #"{"iss":"https://id.example/a"}"#), "https://id.example/a"),
      (jwt(#"{"alg":"ES256","typ":"at+jwt"}"#, #"{"iss":"https://id.example/a","aud":["x"]}"#), "https://id.example/a"),
      (jwt(#"{"alg":"HS256"}"#, #"{"iss":"home","d":{"uid":"u"},"v":0}"#), "home"),
      (jwt(#"{"alg":"RS256"}"#, "{}"), ""), (jwt(#"{"alg":"RS256"}"#, #"{"iss":7}"#), ""),
      (
        jwt(#"{"alg":"RS256"}"#, #"{"iss":"https://securetoken.google.com/another"}"#),
        "https://securetoken.google.com/another"
      ),
    ])
  func issuers(token: String, issuer: String) {
    #expect(ForeignTokenForm(token, projectID: "mine") == .jwt(issuer: issuer))
  }

  static let others: [String] = [
    "sess_0123456789", "eyJhbGciOiJSUzI1NiJ9", "v4.public.abc", "ya29.a0Af-x", "a.b.c", "x",
    String(repeating: "x", count: 16_384),
    "hk_" + String(repeating: "a", count: 37), jwt(#"{"alg":"dir","enc":"A256GCM"}"#, "x") + ".YQ.Yg",
  ]

  @Test("a token that is no JSON Web Token is opaque", arguments: others)
  func opaque(token: String) { #expect(ForeignTokenForm(token, projectID: "mine") == .opaque) }

  static let owned: [String] = [
    // A former database secret, access tokens, and the credential of emulator clients.
    String(repeating: "a", count: 40), "hearth_admin_", "hearth_admin_x", "owner",
    "hearth_admin_old.token", "hearth_refresh_AAAA.s1.AAAA",
    // Tokens in the legacy format, custom tokens, ID tokens, and session cookies.
    jwt(#"{"alg":"HS256","typ":"JWT"}"#, #"{"v":0,"d":{"uid":"u"},"iat":1}"#), jwt(#"{"alg":"HS256"}"#, "{}"),
    jwt(
      #"{"alg":"RS256"}"#,
      #"{"iss":"x","aud":"https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"}"#
    ),
    jwt(#"{"alg":"RS256","kid":"gone"}"#, #"{"iss":"https://securetoken.google.com/mine"}"#),
    jwt(#"{"alg":"ES256"}"#, #"{"iss":"https://session.firebase.google.com/mine"}"#),
    // Unsigned tokens, and fragments.
    jwt(#"{"alg":"none"}"#, #"{"iss":"https://id.example/a"}"#), jwt(#"{"alg":"nOnE"}"#, #"{"iss":"a"}"#),
    jwt(#"{"alg":"RS256"}"#, #"{"iss":"https://id.example/a"}"#, signature: ""), jwt(#"{"typ":"JWT"}"#, "{}"),
    String(jwt(#"{"alg":"RS256"}"#, #"{"iss":"https://securetoken.google.com/mine"}"#).dropLast(6)) + "!",
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJo", "",
    // Texts that are invalid in a header.
    "a b", "a\nb", "ä", "a\u{0}", String(repeating: "x", count: 16_385),
  ]

  @Test func `only ID tokens that name a trusted issuer are passed on although they name the own project`() {
    let issuer = "https://securetoken.google.com/mine"
    let token = Self.jwt(#"{"alg":"RS256","kid":"gone"}"#, #"{"iss":"https://securetoken.google.com/mine"}"#)
    #expect(ForeignTokenForm(token, projectID: "mine", trustedIssuers: [issuer]) == .jwt(issuer: issuer))
    #expect(ForeignTokenForm(token, projectID: "mine", trustedIssuers: [issuer + "/"]) == nil)
    for own in Self.owned where own != token {
      #expect(ForeignTokenForm(own, projectID: "mine", trustedIssuers: [issuer]) == nil, "\(own.prefix(60))")
    }
  }

  @Test("a malformed token in the server's own form is never passed to a verifier", arguments: owned)
  func own(token: String) {
    #expect(ForeignTokenForm(token, projectID: "mine") == nil, "\(token.prefix(60))")
  }
}
