import Foundation
import Testing

@testable import HearthCrypto

@Suite("Assertions of service accounts")
struct AssertionTests {
  private let now = ServiceForge.now
  private let ownAudience = "https://auth.example.com/token"

  private func refusal(
    _ assertion: String, by verifier: AssertionVerifier? = nil, at seconds: Int64 = ServiceForge.now
  ) -> AssertionError.Code? {
    do {
      _ = try (verifier ?? AssertionVerifier(audiences: [ownAudience]))
        .verify(assertion, accounts: ServiceForge.accounts, nowSeconds: seconds)
      return nil
    } catch {
      #expect(error.message == "Invalid JWT assertion." || error.code == .unavailable)
      return error.code
    }
  }

  private func refusal(_ changes: [String: String?]) -> AssertionError.Code? {
    refusal(ServiceForge.assertion(changes))
  }

  @Test("A valid assertion names the account and its scopes, for Google's audience and for the server's own")
  func accepted() throws {
    let verifier = AssertionVerifier(audiences: [ownAudience])
    let verified = try verifier.verify(ServiceForge.assertion(), accounts: ServiceForge.accounts, nowSeconds: now)
    #expect(verified.email == ServiceForge.email)
    #expect(verified.scopes == ["https://www.googleapis.com/auth/firebase.database", "openid"])
    #expect(refusal(["aud": "\"\(ownAudience)\""]) == nil)
    #expect(refusal(["scope": nil]) == nil)
    #expect(refusal(["sub": "\"\(ServiceForge.email)\""]) == nil)
  }

  @Test("An assertion with a `jti` is accepted once; repetitions are refused until it expires")
  func replay() {
    let verifier = AssertionVerifier(audiences: [])
    let first = ServiceForge.assertion(["jti": "\"1\""])
    #expect(refusal(first, by: verifier) == nil)
    #expect(refusal(first, by: verifier) == .invalidGrant)
    // The last second of its validity: a lifetime of 3,600 s and a clock skew of 300 s, less 1 s.
    #expect(refusal(first, by: verifier, at: now + 3_899) == .invalidGrant)
    #expect(refusal(ServiceForge.assertion(["jti": "\"2\""]), by: verifier) == nil)
    #expect(refusal(ServiceForge.assertion(["iat": "\(now + 1)"]), by: verifier) == nil)
  }

  @Test("Workers that start in the same second make the same assertion, and all of them are accepted")
  func repeatsWithoutIdentifier() {
    let verifier = AssertionVerifier(audiences: [])
    let shared = ServiceForge.assertion(["iat": "\(now)"])
    for seconds in [Int64(0), 1, 10] { #expect(refusal(shared, by: verifier, at: now + seconds) == nil) }
    #expect(refusal(shared, by: verifier, at: now + 11) == .invalidGrant)
  }

  @Test("A clock that runs ahead does not extend the time for repetitions")
  func repeatsAhead() {
    let verifier = AssertionVerifier(audiences: [])
    let shared = ServiceForge.assertion(["iat": "\(now + 290)"])
    for seconds in [Int64(0), 10] { #expect(refusal(shared, by: verifier, at: now + seconds) == nil) }
    for seconds in [Int64(11), 200, 290] { #expect(refusal(shared, by: verifier, at: now + seconds) == .invalidGrant) }
  }

  @Test("A clock that steps back does not make a used assertion acceptable again")
  func repeatsAfterStep() {
    let verifier = AssertionVerifier(audiences: [])
    let shared = ServiceForge.assertion(["iat": "\(now)"])
    #expect(refusal(shared, by: verifier) == nil)
    #expect(refusal(shared, by: verifier, at: now - 200) == .invalidGrant)
  }

  @Test("Exactly one of twenty parallel uses succeeds")
  func parallel() async {
    let verifier = AssertionVerifier(audiences: [])
    let assertion = ServiceForge.assertion(["jti": "\"1\""])
    let wins = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { refusal(assertion, by: verifier) == nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wins == 1)
  }

  @Test("The memory of used assertions is bounded; when it is full, assertions are refused and none is forgotten")
  func bounded() {
    let verifier = AssertionVerifier(audiences: [], countMax: 3)
    let tokens = (0..<4).map { ServiceForge.assertion(["jti": "\"\($0)\""]) }
    for token in tokens.prefix(3) { #expect(refusal(token, by: verifier) == nil) }
    #expect(refusal(tokens[3], by: verifier) == .unavailable)
    #expect(refusal(tokens[0], by: verifier) == .invalidGrant)
    let later = ServiceForge.assertion(["iat": "\(now + 4_000)", "exp": "\(now + 7_000)"])
    #expect(refusal(later, by: verifier, at: now + 4_000) == nil, "the old ones have expired")
  }

  @Test("A failed assertion is not remembered as used")
  func failuresLeaveNothing() {
    let verifier = AssertionVerifier(audiences: [], countMax: 1)
    for index in 0..<5 {
      #expect(
        refusal(ServiceForge.assertion(["jti": "\"\(index)\""], key: TokenForge.key), by: verifier) == .invalidGrant)
    }
    #expect(refusal(ServiceForge.assertion(), by: verifier) == nil)
  }

  @Test(
    "Assertions with invalid claims are refused",
    arguments: [
      ("iss", "\"stranger@demo-forge.iam.gserviceaccount.com\""), ("iss", nil), ("iss", "1"), ("sub", "\"alice\""),
      ("sub", "1"), ("aud", "\"https://oauth2.googleapis.com/token/\""), ("aud", "\"https://evil.example/token\""),
      ("aud", "[\"https://oauth2.googleapis.com/token\"]"), ("aud", nil), ("scope", "[]"), ("scope", "1"),
      ("iat", "\"1\""), ("iat", nil), ("iat", "1800000301"), ("exp", nil), ("exp", "1799999700"), ("exp", "1800003901"),
      ("exp", "1e400"), ("exp", "-1"), ("nbf", "1800000301"),
    ] as [(String, String?)])
  func refused(name: String, value: String?) { #expect(refusal([name: value]) == .invalidGrant) }

  @Test("Other kinds of tokens are refused as assertions")
  func others() {
    let account = ServiceForge.accounts[0]
    for token in [
      "", "x", ServiceForge.custom(), TokenForge.rs256(TokenForge.idPayload()),
      TokenForge.hs256(TokenForge.legacyPayload()), TokenForge.unsigned(ServiceForge.customPayload()),
      ServiceForge.assertion(header: ServiceForge.header(["alg": "\"RS512\""])),
      ServiceForge.assertion(header: ServiceForge.header(["kid": "\"nobody\""])),
      TokenForge.hs256(
        ServiceForge.customPayload(["aud": "\"\(AssertionVerifier.googleAudience)\""]),
        key: Array((account.publicKeys[ServiceForge.keyID] ?? "").utf8)),
    ] {
      #expect(refusal(token) == .invalidGrant)
    }
  }

  @Test("A new account's file has the fields that SDKs read, and its key signs valid custom tokens")
  func accountFile() throws {
    let key = try ServiceAccountKey.generate(random: .system)
    let text = ServiceAccountKey.json(
      projectID: "demo", email: "a@demo.iam.gserviceaccount.com", keyID: key.keyID, privatePEM: key.privatePEM,
      clientID: "123", tokenURI: "https://auth.example.com/token", certURL: "https://auth.example.com/certs")
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let file = try #require(parsed as? [String: String])
    #expect(file["type"] == "service_account" && file["private_key_id"] == key.keyID)
    #expect(
      file["token_uri"] == "https://auth.example.com/token" && file["client_email"] == "a@demo.iam.gserviceaccount.com")
    let minter = try CustomTokenMinter(
      email: try #require(file["client_email"]), keyID: key.keyID, privatePEM: try #require(file["private_key"]))
    let verifier = CustomTokenVerifier(
      projectID: "demo", accounts: [("a@demo.iam.gserviceaccount.com", [key.keyID: key.publicPEM])])
    let token = try minter.mint(uid: "u", issuedAtSeconds: now)
    #expect(try verifier.verify(token, nowSeconds: now).uid == "u")
  }
}
