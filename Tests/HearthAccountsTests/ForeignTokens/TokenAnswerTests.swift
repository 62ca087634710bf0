import HearthCrypto
import HearthPlugin
import HearthTree
import Testing

@testable import HearthAccounts

/// Tests that verifiers' answers must obey the rules for token contents.
@Suite struct TokenAnswerTests {
  static let now: Int64 = 1_800_000_000
  static let voucher = TokenVoucher(verifier: "v", digest: String(repeating: "0", count: 64), serial: 0)

  static func judged(_ change: (inout VerifiedToken) -> Void = { _ in }) -> ValidatedTokenAnswer {
    var token = VerifiedToken(uid: "ann")
    change(&token)
    return ValidatedTokenAnswer(.verified(token), by: voucher, nowSeconds: now)
  }

  static func credential(_ judged: ValidatedTokenAnswer) throws -> VerifiedCredential {
    guard case .accepted(let credential) = judged.outcome else { throw NotAccepted() }
    return credential
  }

  struct NotAccepted: Error {}

  @Test("rules see the user, the provider and the claims; no claim grants administration")
  func payload() throws {
    let credential = try Self.credential(
      Self.judged {
        $0.signInProvider = "oidc.keycloak"
        $0.email = "Ann@Example.com"
        $0.isEmailVerified = true
        $0.claims = .object([.init("roles", .object([.init("editor", .bool(true))]))])
        $0.issuedAtSeconds = Self.now - 5
        $0.expiresAtSeconds = Self.now + 60
      })
    #expect(
      credential.authPayload?.json
        == "{\"uid\":\"ann\",\"provider\":\"oidc.keycloak\",\"token\":{\"roles\":{\"editor\":true},"
        + "\"user_id\":\"ann\",\"sub\":\"ann\",\"iat\":1799999995,\"exp\":1800000060,"
        + "\"email\":\"ann@example.com\",\"email_verified\":true,"
        + "\"firebase\":{\"identities\":{},\"sign_in_provider\":\"oidc.keycloak\"}}}")
    #expect(!credential.authority.bypassesRules && !credential.debug && credential.kind == .foreignToken)
    #expect(credential.expiresAtSeconds == Self.now + 60)
  }

  @Test("a token without an expiry lasts an hour; an expired one is refused")
  func times() throws {
    #expect(try Self.credential(Self.judged()).expiresAtSeconds == Self.now + 3_600)
    #expect(Self.judged { $0.expiresAtSeconds = Self.now }.outcome == .refused(.expired))
    #expect(Self.judged { $0.cacheSeconds = .max }.cacheMilliseconds == 3_600_000)
    // It would sign in a user whose sessions were all revoked a second ago.
    #expect(try Self.credential(Self.judged { $0.issuedAtSeconds = Self.now + 1 }).claims["iat"] == nil)
    #expect(try Self.credential(Self.judged { $0.issuedAtSeconds = Self.now }).claims["iat"] == .int(Self.now))
  }

  static let wrong: [@Sendable (inout VerifiedToken) -> Void] = [
    { $0.uid = "" }, { $0.uid = String(repeating: "u", count: 129) }, { $0.uid = "a\u{7}" },
    { $0.claims = .object([.init("sub", .string("root"))]) }, { $0.claims = .object([.init("firebase", .object([]))]) },
    { $0.claims = .object([.init("email", .string("x"))]) }, { $0.claims = .array([]) },
    { $0.claims = .object([.init("a", .string(String(repeating: "x", count: 1_000)))]) },
    { $0.signInProvider = "password" }, { $0.signInProvider = "anonymous" }, { $0.signInProvider = "" },
    { $0.signInProvider = "password.com" }, { $0.signInProvider = "anonymous.com" },
    { $0.signInProvider = "a b" }, { $0.expiresAtSeconds = .max }, { $0.expiresAtSeconds = -1 },
    { $0.issuedAtSeconds = .min },
  ]

  @Test("an answer with reserved claims is invalid", arguments: wrong.indices)
  func refused(index: Int) {
    guard case .undecided(let reason) = Self.judged(Self.wrong[index]).outcome else {
      Issue.record("taken")
      return
    }
    #expect(reason.hasPrefix("returned an unusable response"))
  }

  @Test("an invalid address is left out and never counts as verified")
  func address() throws {
    let credential = try Self.credential(
      Self.judged {
        $0.email = "no address"
        $0.isEmailVerified = true
      })
    #expect(credential.claims["email"] == nil && credential.claims["email_verified"] == nil)
  }

  @Test(
    "the time for which an answer is cached is limited",
    arguments: [(0, 0), (-5, 0), (60, 60_000), (.max, 86_400_000)] as [(Int64, Int64)])
  func cached(seconds: Int64, milliseconds: Int64) {
    let judged = Self.judged { token in
      token.cacheSeconds = seconds
      token.expiresAtSeconds = Self.now + 100_000
    }
    #expect(judged.cacheMilliseconds == milliseconds)
    let refusal = ValidatedTokenAnswer(
      .refused(TokenRefusal(.invalid, cacheSeconds: seconds)), by: Self.voucher, nowSeconds: Self.now)
    #expect(refusal.cacheMilliseconds == milliseconds)
  }

  @Test("a missing answer is no decision")
  func nothing() {
    let judged = ValidatedTokenAnswer(nil, by: Self.voucher, nowSeconds: Self.now)
    #expect(judged.outcome == .undecided("did not decide") && judged.cacheMilliseconds == 0)
  }
}
