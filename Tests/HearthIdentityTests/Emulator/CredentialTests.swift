import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite("Credentials that an emulator takes") struct EmulatedCredentialTests {
  private static let claims = #"{"sub":"g1","email":"Gil@example.com","email_verified":true,"name":"Gil"}"#

  /// An unsigned token, as suites write them.
  private static func unsigned(_ payload: String) -> String {
    Base64URL.encode(#"{"alg":"none","typ":"JWT"}"#.utf8) + "." + Base64URL.encode(payload.utf8) + "."
  }

  @Test("claims sign in with any provider, known here or not", arguments: ["google.com", "github.com", "oidc.acme"])
  func providers(_ providerID: String) async throws {
    for credential in [Self.claims, Self.unsigned(Self.claims)] {
      let world = try IdentityWorld.emulator()
      let first = try await world.signInWith(providerID, credential)
      #expect(first.status == 200 && first.json["isNewUser"] == true, "\(first.text)")
      #expect(first.json["email"] == "gil@example.com" && first.json["emailVerified"] == true)
      #expect(first.json["providerId"] == .string(providerID) && first.json["displayName"] == "Gil")
      #expect(first.json["oauthIdToken"] == .string(credential))
      #expect(first.json["oauthAccessToken"]?.string?.contains(providerID) == true)
      #expect(first.json["rawUserInfo"]?.string?.contains("Gil") == true)
      let claims = try world.claims(first.idToken)
      #expect(claims["firebase"]?["sign_in_provider"] == .string(providerID))
      let again = try await world.signInWith(providerID, credential)
      #expect(again.json["isNewUser"] == false && again.localID == first.localID)
    }
  }

  @Test("an access token of claims does as well; one that only its provider can read does not")
  func accessTokens() async throws {
    let world = try IdentityWorld.emulator()
    let body = IdentityWorld.credential("access_token", Self.claims, "facebook.com")
    #expect(try await world.app("accounts:signInWithIdp", body).json["isNewUser"] == true)
    let opaque = IdentityWorld.credential("access_token", "EAAB", "facebook.com")
    let refused = try await world.app("accounts:signInWithIdp", opaque)
    #expect(refused.status == 501 && refused.error?.contains("id_token") == true)
  }

  @Test(
    "what names nobody is refused with a sentence",
    arguments: ["{", "{}", "garbage", #"{"sub":""}"#, #"{"sub":5}"#, #"{"sub":null}"#, "a.b.c"])
  func unusable(_ idToken: String) async throws {
    let world = try IdentityWorld.emulator()
    let answer = try await world.signInWith("google.com", idToken)
    #expect(answer.status == 400 && answer.error?.hasPrefix("INVALID_IDP_RESPONSE : ") == true, "\(answer.text)")
  }

  @Test("an address that the claims do not prove goes to nobody's account; linking works")
  func conflicts() async throws {
    let world = try IdentityWorld.emulator()
    let owner = try await world.signUp("gil@example.com")
    let unproven = #"{"sub":"g2","email":"gil@example.com"}"#
    #expect(try await world.signInWith("google.com", unproven).json["needConfirmation"] == true)
    let linked = try await world.signInWith("google.com", unproven, ["idToken": .string(owner.idToken)])
    #expect(linked.localID == owner.localID)
    #expect(try await world.signInWith("google.com", unproven).localID == owner.localID)
  }

  @Test("custom tokens count unsigned, as a token or as an object")
  func customTokens() async throws {
    let world = try IdentityWorld.emulator()
    let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    let token = Self.unsigned(#"{"uid":"cy","aud":"\#(audience)","claims":{"role":"ed"}}"#)
    let first = try await world.app("accounts:signInWithCustomToken", ["token": .string(token)])
    #expect(first.status == 200 && first.json["isNewUser"] == true, "\(first.text)")
    #expect(try world.claims(first.idToken)["role"] == .string("ed"))
    let object = try await world.app("accounts:signInWithCustomToken", ["token": #"{"uid":"cy"}"#])
    #expect(object.status == 200 && object.json["isNewUser"] == false)
    // Whoever signed it, and however long ago.
    let payload = #"{"uid":"cy","iss":"a@b.example","aud":"\#(audience)","iat":1,"exp":2}"#
    let signed =
      Base64URL.encode(#"{"alg":"RS256","kid":"x","typ":"JWT"}"#.utf8) + "." + Base64URL.encode(payload.utf8) + ".AAAA"
    #expect(
      try await world.app("accounts:signInWithCustomToken", ["token": .string(signed)]).json["isNewUser"] == false)
    for (bad, code) in [
      (#"{"claims":{}}"#, "MISSING_IDENTIFIER"), (#"{"uid":"cy","claims":{"iss":"x"}}"#, "FORBIDDEN_CLAIM"),
      ("{", "INVALID_CUSTOM_TOKEN"), (Self.unsigned(#"{"uid":"cy","aud":"x"}"#), "INVALID_CUSTOM_TOKEN"),
    ] {
      let answer = try await world.app("accounts:signInWithCustomToken", ["token": .string(bad)])
      #expect(answer.error?.hasPrefix(code) == true, "\(bad) \(answer.text)")
    }
  }

  @Test("none of it counts for somebody else than this machine's programs, nor without emulator mode")
  func onlyHere() async throws {
    for (world, isFromLoopback) in [
      (try IdentityWorld.emulator(), false), (try IdentityWorld(), true), (try IdentityWorld(), false),
    ] {
      for providerID in ["google.com", "github.com"] {
        for credential in [Self.claims, Self.unsigned(Self.claims)] {
          let body = IdentityWorld.credential("id_token", credential, providerID)
          let answer = try await world.post("accounts:signInWithIdp", body, isFromLoopback: isFromLoopback)
          #expect(answer.status == 400 && answer.idToken.isEmpty, "\(answer.text)")
        }
      }
      // The fake provider takes any text for a uid: that it was asked is the proof that nothing else was.
      let token = #"{"uid":"cy"}"#
      let custom = try await world.post(
        "accounts:signInWithCustomToken", ["token": .string(token)], isFromLoopback: isFromLoopback)
      #expect(custom.status != 200 || world.user("cy") == nil, "\(custom.text)")
    }
  }
}
