import Testing

@testable import HearthCrypto

@Suite("Developer credentials")
struct DeveloperCredentialsTests {
  private let front = CredentialVerifier(developerCredentials: DeveloperCredentials())
  /// A token of the web client for a mock user: another header name, and an expiry in 1970.
  private let mock = TokenForge.unsigned(
    #"{"iss":"https://securetoken.google.com/p","aud":"p","iat":0,"exp":3600,"auth_time":0,"sub":"bob","user_id":"bob","#
      + #""firebase":{"sign_in_provider":"custom","identities":{}}}"#, header: #"{"alg":"none","type":"JWT"}"#)

  @Test("A mock token and the word owner are accepted from this machine")
  func loopback() throws {
    let user = try front.verify(mock, nowSeconds: TokenForge.now, isFromLoopback: true)
    #expect(user.kind == .developerToken && user.uid == "bob" && !user.authority.bypassesRules)
    #expect(user.authPayload?["provider"] == .string("custom"))
    #expect(user.expiresAtSeconds == nil)
    for word in ["owner", "Owner", "OWNER"] {
      let owner = try front.verify(word, nowSeconds: TokenForge.now, isFromLoopback: true)
      #expect(owner.kind == .developerOwner && owner.authority.bypassesRules)
    }
  }

  @Test("A token in the form of Google's access tokens administers accounts, and grants no access to data")
  func googleAccessTokens() throws {
    for token in ["ya29.a0AfH6SMC", "ya29.c.b0Aaekm1", "ya29."] {
      let owner = try front.verify(token, nowSeconds: TokenForge.now, isFromLoopback: true, scope: .identity)
      #expect(owner.kind == .developerOwner && owner.authority.bypassesRules)
      for (verifier, isFromLoopback, scope) in [
        (front, true, .database), (front, false, .identity), (CredentialVerifier(), true, .identity),
      ] as [(CredentialVerifier, Bool, AdminScopes)] {
        #expect(throws: CredentialError(.invalidToken, reason: "")) {
          try verifier.verify(token, nowSeconds: TokenForge.now, isFromLoopback: isFromLoopback, scope: scope)
        }
      }
    }
    for other in ["YA29.a0AfH6SMC", "ya29", "ya29a.b"] {
      #expect(throws: CredentialError(.invalidToken, reason: "")) {
        try front.verify(other, nowSeconds: TokenForge.now, isFromLoopback: true, scope: .identity)
      }
    }
  }

  @Test("Any token in Google's form makes its client an emulator's administrator, unless it names a user")
  func anyOwner() {
    let users = [
      mock, TokenForge.unsigned(#"{"user_id":"a"}"#),
      TokenForge.unsigned(#"{"d":{"uid":"a"}}"#, header: #"{"alg":"HS256"}"#),
      TokenForge.unsigned(#"{"uid":"a"}"#, header: #"{"alg":"RS256"}"#) + "AAAA", TokenForge.unsigned(#"{"sub":""}"#),
    ]
    for user in users { #expect(front.developerOwner(user, isFromLoopback: true) == nil, "\(user)") }
    for any in ["owner", "ya29.c.any", "a.b.c", "x", TokenForge.unsigned(#"{"scope":"all"}"#)] {
      #expect(front.developerOwner(any, isFromLoopback: true)?.authority.bypassesRules == true, "\(any)")
      #expect(front.developerOwner(any, isFromLoopback: false) == nil, "\(any)")
      #expect(CredentialVerifier().developerOwner(any, isFromLoopback: true) == nil, "\(any)")
    }
    #expect(front.developerOwner("", isFromLoopback: true) == nil)
  }

  @Test("Emulator credentials are refused from other machines")
  func elsewhere() {
    for credential in [mock, "owner", "OWNER", "ya29.a0AfH6SMC"] {
      #expect(throws: CredentialError(.invalidToken, reason: "")) {
        try front.verify(credential, nowSeconds: TokenForge.now)
      }
    }
  }

  @Test("An unsigned token has no signature, exactly the alg none, and a user")
  func forms() {
    let payload = #"{"sub":"bob"}"#
    #expect(TokenForge.refusal(TokenForge.unsigned(payload), front: front) == nil)
    for token in [
      TokenForge.unsigned(payload) + "AAAA", TokenForge.unsigned(payload, header: #"{"alg":"None"}"#),
      TokenForge.unsigned(payload, header: #"{"alg":"NONE"}"#), TokenForge.unsigned("{}"),
      TokenForge.unsigned(#"{"sub":1}"#), TokenForge.unsigned(#"{"sub":""}"#),
      TokenForge.unsigned(#"{"sub":null,"uid":"a"}"#),
      TokenForge.unsigned(#"{"sub":"x","aud":"\#(UnverifiedToken.customTokenAudience)"}"#),
      TokenForge.unsigned(payload, header: #"{"alg":"none","crit":[]}"#),
    ] {
      #expect(TokenForge.refusal(token, front: front) == .invalidToken)
    }
  }

  @Test("Emulator credentials do not weaken the checks of real ones")
  func realKinds() {
    for credential in ["owners", "owner ", TokenForge.secret, TokenForge.hs256(TokenForge.legacyPayload())] {
      #expect(TokenForge.refusal(credential, front: front) == .invalidToken)
    }
  }
}
