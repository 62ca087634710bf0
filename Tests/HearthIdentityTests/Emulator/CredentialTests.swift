import HearthBytes
import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite("Credentials that an emulator accepts") struct EmulatedCredentialTests {
  private static let claims = #"{"sub":"g1","email":"Gil@example.com","email_verified":true,"name":"Gil"}"#

  /// Returns an unsigned token, like those of test suites.
  private static func unsigned(_ payload: String) -> String {
    Base64URL.encode(#"{"alg":"none","typ":"JWT"}"#.utf8) + "." + Base64URL.encode(payload.utf8) + "."
  }

  @Test(
    "unsigned claims sign in with any provider, known or not", arguments: ["google.com", "github.com", "oidc.acme"])
  func providers(_ providerID: String) async throws {
    for credential in [Self.claims, Self.unsigned(Self.claims)] {
      let fixture = try IdentityFixture.emulator()
      let first = try await fixture.signInWith(providerID, credential)
      #expect(first.status == 200 && first.json["isNewUser"] == true, "\(first.text)")
      #expect(first.json["email"] == "gil@example.com" && first.json["emailVerified"] == true)
      #expect(first.json["providerId"] == .string(providerID) && first.json["displayName"] == "Gil")
      #expect(first.json["oauthIdToken"] == .string(credential))
      #expect(first.json["oauthAccessToken"]?.string?.contains(providerID) == true)
      #expect(first.json["rawUserInfo"]?.string?.contains("Gil") == true)
      let claims = try fixture.claims(first.idToken)
      #expect(claims["firebase"]?["sign_in_provider"] == .string(providerID))
      let again = try await fixture.signInWith(providerID, credential)
      #expect(again.json["isNewUser"] == false && again.localID == first.localID)
    }
  }

  @Test("an emulator accepts an access token of claims, and not an opaque one")
  func accessTokens() async throws {
    let fixture = try IdentityFixture.emulator()
    let body = IdentityFixture.credential("access_token", Self.claims, "facebook.com")
    #expect(try await fixture.app("accounts:signInWithIdp", body).json["isNewUser"] == true)
    let opaque = IdentityFixture.credential("access_token", "EAAB", "facebook.com")
    let refused = try await fixture.app("accounts:signInWithIdp", opaque)
    #expect(refused.status == 501 && refused.error?.contains("id_token") == true)
  }

  @Test(
    "a credential without an identity is refused with a reason",
    arguments: ["{", "{}", "garbage", #"{"sub":""}"#, #"{"sub":5}"#, #"{"sub":null}"#, "a.b.c"])
  func unusable(_ idToken: String) async throws {
    let fixture = try IdentityFixture.emulator()
    let answer = try await fixture.signInWith("google.com", idToken)
    #expect(answer.status == 400 && answer.error?.hasPrefix("INVALID_IDP_RESPONSE : ") == true, "\(answer.text)")
  }

  @Test("the signature of an emulator's token is ignored: test suites redact it in real tokens")
  func blottedSignature() async throws {
    let fixture = try IdentityFixture.emulator()
    let header = Base64URL.encode(#"{"alg":"RS256","kid":"x","typ":"JWT"}"#.utf8)
    for signature in [String(repeating: "0", count: 342), "", "?"] {
      let token = header + "." + Base64URL.encode(Self.claims.utf8) + "." + signature
      let answer = try await fixture.signInWith("google.com", token)
      #expect(answer.json["email"] == "gil@example.com" && answer.json["oauthIdToken"] == .string(token))
    }
  }

  @Test("a credential may be in the URL; its fragment precedes the body, and the body precedes its query")
  func credentialInAddress() async throws {
    let fixture = try IdentityFixture.emulator()
    func uri(_ separator: String, _ sub: String) -> String {
      "\(separator)providerId=google.com&id_token=" + PercentEncoding.encode(#"{"sub":"\#(sub)"}"#)
    }
    func person(_ address: String, _ body: String?) async throws -> JSON? {
      let members: JSON = [
        "requestUri": .string("http://localhost/" + address), "postBody": body.map { .string($0) } ?? .null,
      ]
      return try await fixture.app("accounts:signInWithIdp", members).json["federatedId"]
    }
    let (query, fragment, body) = (uri("?", "q"), uri("#", "f"), String(uri("?", "b").dropFirst()))
    #expect(try await person(query, nil) == "https://accounts.google.com/q")
    #expect(try await person(fragment, "") == "https://accounts.google.com/f")
    #expect(try await person(query, body) == "https://accounts.google.com/b")
    #expect(try await person(query + fragment, body) == "https://accounts.google.com/f")
    #expect(try await person("?a=%zz", body) == "https://accounts.google.com/b")
    // The session of a provider's page is required when the URL has no credential.
    let session: JSON = ["requestUri": "http://localhost/?code=1&state=2", "sessionId": "s"]
    #expect(try await fixture.app("accounts:signInWithIdp", session).status == 400)
    for (other, isFromLoopback) in [(fixture, false), (try IdentityFixture(), true)] {
      let answer = try await other.post(
        "accounts:signInWithIdp", ["requestUri": .string("http://localhost/" + query)], isFromLoopback: isFromLoopback)
      #expect(answer.error?.hasPrefix("INVALID_CREDENTIAL_OR_PROVIDER_ID") == true, "\(answer.text)")
    }
  }

  @Test("SAML attributes of an emulator are a JSON object")
  func assertions() async throws {
    let fixture = try IdentityFixture.emulator()
    func signIn(_ response: String?, _ claims: String = #"{"sub":"s1","email":"ann@b.example"}"#) async throws
      -> IdentityFixture.Answer
    {
      let response = response.map { "&SAMLResponse=" + PercentEncoding.encode($0) } ?? ""
      let body = "providerId=saml.acme&id_token=" + PercentEncoding.encode(claims) + response
      return try await fixture.app(
        "accounts:signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(body)])
    }
    // An identity provider's verification of an address is accepted.
    let plain = try await signIn(nil)
    #expect(plain.json["email"] == "ann@b.example" && plain.json["emailVerified"] == true, "\(plain.text)")
    let said = try await signIn(
      #"{"assertion":{"subject":{"nameId":"Ann@acme.example"},"attributeStatements":{"team":["red","blue"],"n":1}}}"#,
      #"{"sub":"s2","email":"other@b.example"}"#)
    #expect(said.json["email"] == "ann@acme.example" && said.json["emailVerified"] == true, "\(said.text)")
    #expect(said.json["rawUserInfo"] == .string(#"{"team":["red","blue"],"n":1}"#))
    let attributes = try fixture.claims(said.idToken)["firebase"]?["sign_in_attributes"]
    #expect(attributes?["team"] == .array([.string("red"), .string("blue")]))
    // A name ID that is not an address leaves the address of the claims unchanged.
    let named = try await signIn(
      #"{"assertion":{"subject":{"nameId":"u-17"}}}"#, #"{"sub":"s3","email":"c@b.example"}"#)
    #expect(named.json["email"] == "c@b.example" && named.json["rawUserInfo"] == nil)
    #expect(try fixture.claims(named.idToken)["firebase"]?["sign_in_attributes"] == nil)
    for bad in [
      "PHNhbWw+", "{", "[]", "{}", #"{"assertion":null}"#, #"{"assertion":{}}"#, #"{"assertion":{"subject":[]}}"#,
      #"{"assertion":{"subject":{}}}"#, #"{"assertion":{"subject":{"nameId":""}}}"#,
      #"{"assertion":{"subject":{"nameId":1}}}"#, #"{"assertion":{"subject":{"nameId":"a"},"attributeStatements":[]}}"#,
      #"{"assertion":{"subject":{"nameId":"a"},"attributeStatements":{"x":"\#(String(repeating: "x", count: 2_048))"}}}"#,
    ] {
      let answer = try await signIn(bad)
      #expect(answer.error?.hasPrefix("INVALID_IDP_RESPONSE : ") == true, "\(bad.prefix(80)) \(answer.text)")
    }
  }

  @Test("a provider's screen name becomes the user's")
  func screenName() async throws {
    let fixture = try IdentityFixture.emulator()
    let signedIn = try await fixture.signInWith("twitter.com", #"{"sub":"t1","screen_name":"turing"}"#)
    let user = try await fixture.lookup(signedIn.idToken).json["users"]?.array?.first
    #expect(user?["screenName"] == "turing" && user?["providerUserInfo"]?.array?.first?["screenName"] == "turing")
  }

  @Test("an unverified address joins no existing account; linking works")
  func conflicts() async throws {
    let fixture = try IdentityFixture.emulator()
    let owner = try await fixture.signUp("gil@example.com")
    let unproven = #"{"sub":"g2","email":"gil@example.com"}"#
    #expect(try await fixture.signInWith("google.com", unproven).json["needConfirmation"] == true)
    let linked = try await fixture.signInWith("google.com", unproven, ["idToken": .string(owner.idToken)])
    #expect(linked.localID == owner.localID)
    #expect(try await fixture.signInWith("google.com", unproven).localID == owner.localID)
  }

  @Test("unsigned custom tokens are accepted, as a token or as an object")
  func customTokens() async throws {
    let fixture = try IdentityFixture.emulator()
    let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    let token = Self.unsigned(#"{"uid":"cy","aud":"\#(audience)","claims":{"role":"ed"}}"#)
    let first = try await fixture.app("accounts:signInWithCustomToken", ["token": .string(token)])
    #expect(first.status == 200 && first.json["isNewUser"] == true, "\(first.text)")
    #expect(try fixture.claims(first.idToken)["role"] == .string("ed"))
    let object = try await fixture.app("accounts:signInWithCustomToken", ["token": #"{"uid":"cy"}"#])
    #expect(object.status == 200 && object.json["isNewUser"] == false)
    // Any signer and any time of issue are accepted.
    let payload = #"{"uid":"cy","iss":"a@b.example","aud":"\#(audience)","iat":1,"exp":2}"#
    let signed =
      Base64URL.encode(#"{"alg":"RS256","kid":"x","typ":"JWT"}"#.utf8) + "." + Base64URL.encode(payload.utf8) + ".AAAA"
    #expect(
      try await fixture.app("accounts:signInWithCustomToken", ["token": .string(signed)]).json["isNewUser"] == false)
    for (text, uid) in [(#"{"user_id":"dan"}"#, "dan"), (#"{"uid":17}"#, "17")] {
      let named = try await fixture.app("accounts:signInWithCustomToken", ["token": .string(text)])
      #expect(try fixture.claims(named.idToken)["sub"] == .string(uid))
    }
    for (bad, code) in [
      (#"{"claims":{}}"#, "MISSING_IDENTIFIER"), (#"{"uid":"cy","claims":{"iss":"x"}}"#, "FORBIDDEN_CLAIM"),
      ("{", "INVALID_CUSTOM_TOKEN"), (Self.unsigned(#"{"uid":"cy","aud":"x"}"#), "INVALID_CUSTOM_TOKEN"),
    ] {
      let answer = try await fixture.app("accounts:signInWithCustomToken", ["token": .string(bad)])
      #expect(answer.error?.hasPrefix(code) == true, "\(bad) \(answer.text)")
    }
  }

  @Test("emulator credentials are accepted only from this machine and in emulator mode")
  func onlyHere() async throws {
    for (fixture, isFromLoopback) in [
      (try IdentityFixture.emulator(), false), (try IdentityFixture(), true), (try IdentityFixture(), false),
    ] {
      for providerID in ["google.com", "github.com"] {
        for credential in [Self.claims, Self.unsigned(Self.claims)] {
          let body = IdentityFixture.credential("id_token", credential, providerID)
          let answer = try await fixture.post("accounts:signInWithIdp", body, isFromLoopback: isFromLoopback)
          #expect(answer.status == 400 && answer.idToken.isEmpty, "\(answer.text)")
        }
      }
      // The fake provider takes any text for a uid, so the result proves that it alone was called.
      let token = #"{"uid":"cy"}"#
      let custom = try await fixture.post(
        "accounts:signInWithCustomToken", ["token": .string(token)], isFromLoopback: isFromLoopback)
      #expect(custom.status != 200 || fixture.user("cy") == nil, "\(custom.text)")
    }
  }
}
