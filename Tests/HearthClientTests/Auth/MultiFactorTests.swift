import Dispatch
import Foundation
import HearthAccounts
import HearthCrypto
import HearthTree
import LiveServerKit
import Testing

@testable import HearthClient

@Suite struct MultiFactorTests {
  private static let number = "+4915112345678"

  /// Returns the code of an authenticator app for a point in time, in steps of 30 seconds from now.
  private func code(_ secret: TOTPSecret, steps: Int64 = 0) throws -> String {
    let key = try #require(TOTP.secret(base32: secret.sharedSecretKey()))
    return try #require(TOTP.code(secret: key, step: TOTP.step(atSeconds: Int64(Date().timeIntervalSince1970)) + steps))
  }

  /// Returns the resolver of a sign-in that requires a second factor.
  private func resolver(_ work: () async throws -> Void) async throws -> MultiFactorResolver {
    do {
      try await work()
      throw AuthErrorCode.internalError
    } catch {
      try #require(AuthErrorCode(error) == .secondFactorRequired)
      return try #require((error as NSError).userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver)
    }
  }

  @Test(
    "an authenticator app is enrolled, asked for at the next sign-in, and removed", arguments: NetworkCondition.reliable
  )
  func totp(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.verifiedUser()
      #expect(user.multiFactor.enrolledFactors.isEmpty)
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
      let url = secret.generateQRCodeURL(withAccountName: "ada@example.com", issuer: "A & B")
      #expect(url.hasPrefix("otpauth://totp/A%20%26%20B:ada%40example.com?secret=\(secret.sharedSecretKey())&issuer="))
      #expect(!"\(secret)\(String(reflecting: secret))".contains(secret.sharedSecretKey()))
      let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: try code(secret, steps: -1))
      try await user.multiFactor.enroll(with: assertion, displayName: "My app")
      let factor = try #require(user.multiFactor.enrolledFactors.first)
      #expect(factor is TOTPMultiFactorInfo && factor.factorID == TOTPMultiFactorID && factor.displayName == "My app")
      #expect(abs(factor.enrollmentDate.timeIntervalSinceNow) < 600)
      #expect(try await user.getIDTokenResult().signInSecondFactor == "totp")

      let other = try fixture.another()
      let asked = try await resolver { try await other.signIn(withEmail: "ada@example.com", password: "secret1") }
      #expect(other.currentUser == nil && asked.hints.map(\.uid) == [factor.uid] && asked.auth === other)
      let wrong = TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: factor.uid, oneTimePassword: try code(secret, steps: 20))
      #expect(await authCode { try await asked.resolveSignIn(with: wrong) } == .invalidVerificationCode)
      let right = TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: factor.uid, oneTimePassword: try code(secret))
      let result = try await asked.resolveSignIn(with: right)
      #expect(result.user.uid == user.uid && other.currentUser === result.user)
      #expect(try await result.user.getIDTokenResult().signInSecondFactor == "totp")
      let again = await authCode { try await asked.resolveSignIn(with: right) }
      #expect(again != nil)
      try await result.user.multiFactor.unenroll(with: factor)
      #expect(result.user.multiFactor.enrolledFactors.isEmpty)
      #expect(
        try await fixture.another().signIn(withEmail: "ada@example.com", password: "secret1").user.uid == user.uid)
    }
  }

  @Test("a phone is enrolled as second factor, and asked for at the next sign-in", arguments: NetworkCondition.reliable)
  func phone(over network: NetworkCondition) async throws {
    let phones = TestPhones()
    try await AuthFixture.with(over: network, configure: phones.connect) { fixture in
      let user = try await fixture.verifiedUser()
      let provider = PhoneAuthProvider.provider(auth: fixture.auth)
      let session = try await user.multiFactor.session()
      let id = try await provider.verifyPhoneNumber(Self.number, multiFactorSession: session)
      let credential = provider.credential(
        withVerificationID: id, verificationCode: try await phones.code(Self.number, count: 1))
      try await user.multiFactor.enroll(
        with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: nil)
      let factor = try #require(user.multiFactor.enrolledFactors.first as? PhoneMultiFactorInfo)
      #expect(factor.phoneNumber == Self.number && factor.factorID == PhoneMultiFactorID)

      let other = try fixture.another()
      let asked = try await resolver { try await other.signIn(withEmail: "ada@example.com", password: "secret1") }
      let hint = try #require(asked.hints.first as? PhoneMultiFactorInfo)
      #expect(hint.phoneNumber.hasSuffix("5678") && hint.phoneNumber != Self.number)
      let otherProvider = PhoneAuthProvider.provider(auth: other)
      #expect(
        await authCode { _ = try await otherProvider.verifyPhoneNumber(with: hint, multiFactorSession: nil) }
          == .missingMultiFactorSession)
      let second = try await otherProvider.verifyPhoneNumber(with: hint, multiFactorSession: asked.session)
      let entered = otherProvider.credential(
        withVerificationID: second, verificationCode: try await phones.code(Self.number, count: 2))
      let result = try await asked.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: entered))
      #expect(result.user.uid == user.uid)
      #expect(try await result.user.getIDTokenResult().signInSecondFactor == "phone")
    }
  }

  @Test("a reauthentication with a second factor keeps the user's object")
  func reauthenticate() async throws {
    try await AuthFixture.with { fixture in
      let user = try await fixture.verifiedUser()
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
      try await user.multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: secret, oneTimePassword: try code(secret, steps: -1)), displayName: nil)
      let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1")
      let asked = try await resolver { try await user.reauthenticate(with: credential) }
      let before = user.refreshToken
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: try #require(asked.hints.first).uid, oneTimePassword: try code(secret))
      let result = try await asked.resolveSignIn(with: assertion)
      #expect(result.user === user && fixture.auth.currentUser === user && user.refreshToken != before)
    }
  }

  @Test("the forms with a completion enrol and resolve")
  func completions() async throws {
    try await AuthFixture.with { fixture in
      let user = try await fixture.verifiedUser()
      let session = try #require(
        await withCheckedContinuation { continuation in
          user.multiFactor.getSessionWithCompletion { session, _ in continuation.resume(returning: session) }
        })
      let secret = try #require(
        await withCheckedContinuation { continuation in
          TOTPMultiFactorGenerator.generateSecret(with: session) { secret, _ in continuation.resume(returning: secret) }
        })
      let enrolment = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: try code(secret, steps: -1))
      let failure = await withCheckedContinuation { continuation in
        user.multiFactor.enroll(with: enrolment, displayName: nil) {
          continuation.resume(returning: $0.map { "\($0)" })
        }
      }
      #expect(failure == nil)
      let other = try fixture.another()
      let asked = try await resolver { try await other.signIn(withEmail: "ada@example.com", password: "secret1") }
      let proof = TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: try #require(asked.hints.first).uid, oneTimePassword: try code(secret))
      let uid = await withCheckedContinuation { continuation in
        asked.resolveSignIn(with: proof) { result, _ in continuation.resume(returning: result?.user.uid) }
      }
      #expect(uid == user.uid)
    }
  }

  @Test("factors are kept with the session, and sessions of earlier versions without factors are read")
  func stored() async throws {
    try await AuthFixture.with { fixture in
      let user = try await fixture.verifiedUser()
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
      try await user.multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(
          with: secret, oneTimePassword: try code(secret)), displayName: "app")
      let restarted = try fixture.another(store: fixture.store)
      #expect(restarted.currentUser?.multiFactor.enrolledFactors.map(\.displayName) == ["app"])
      let data = try #require(try fixture.store.load())
      var json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      var stored = try #require(json["user"] as? [String: Any])
      #expect(stored.removeValue(forKey: "factors") != nil)
      json["user"] = stored
      let earlier = MemorySessionStore()
      try earlier.save(try JSONSerialization.data(withJSONObject: json))
      let old = try #require(try fixture.another(store: earlier).currentUser)
      #expect(old.uid == user.uid && old.multiFactor.enrolledFactors.isEmpty)
    }
  }

  @Test(
    "hostile lists of factors are read without harm",
    arguments: [
      #"{"mfaPendingCredential":7}"#, #"{"mfaPendingCredential":""}"#, #"{"mfaPendingCredential":null}"#,
      #"{"mfaPendingCredential":"x","mfaInfo":7}"#, #"{"mfaPendingCredential":"x","mfaInfo":[7,null,{},[]]}"#,
      #"{"mfaPendingCredential":"x","mfaInfo":[{"mfaEnrollmentId":"a"},{"mfaEnrollmentId":"","totpInfo":{}}]}"#,
      #"{"mfaPendingCredential":"x","mfaInfo":[{"mfaEnrollmentId":"a","totpInfo":{},"enrolledAt":"99999-01-01T"}]}"#,
    ])
  func hostile(body: String) async throws {
    let auth = AuthFixture.auth(
      port: 1, transport: ScriptedTransport { _ in AuthAnswer(status: 200, body: Array(body.utf8)) })
    do {
      try await auth.signInAnonymously()
      Issue.record("signed in")
    } catch {
      guard AuthErrorCode(error) == .secondFactorRequired else {
        #expect(AuthErrorCode(error) == .internalError && !body.contains("\"x\""))
        return
      }
      let key = AuthErrors.userInfoMultiFactorResolverKey
      let resolver = try #require((error as NSError).userInfo[key] as? MultiFactorResolver)
      #expect(resolver.hints.count == (body.contains("enrolledAt") ? 1 : 0))
      #expect(!String(reflecting: resolver.session).contains("\"x\""))
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "a", oneTimePassword: "1")
      #expect(await authCode { try await resolver.resolveSignIn(with: assertion) } == .internalError)
    }
    #expect(auth.currentUser == nil)
  }

  @Test("a secret with missing or unusual members is refused or read without harm")
  func hostileSecret() {
    for text in [
      "{}", #"{"sharedSecretKey":"A"}"#, #"{"sharedSecretKey":"","sessionInfo":"s"}"#,
      #"{"sharedSecretKey":7,"sessionInfo":"s"}"#,
    ] { #expect(JSON(parsing: text.utf8).flatMap { TOTPSecret($0) } == nil, "\(text)") }
    let odd = #"{"sharedSecretKey":"A&B","sessionInfo":"s","verificationCodeLength":1e300,"periodSec":"x"}"#
    let url = JSON(parsing: odd.utf8).flatMap { TOTPSecret($0) }?.generateQRCodeURL(withAccountName: "a", issuer: "b")
    #expect(url == "otpauth://totp/b:a?secret=A%26B&issuer=b&algorithm=SHA1&digits=6&period=30")
  }
}
