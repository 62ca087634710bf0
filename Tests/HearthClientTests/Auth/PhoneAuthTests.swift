import Dispatch
import Foundation
import HearthTree
import LiveServerKit
import Testing

@testable import HearthClient

@Suite struct PhoneAuthTests {
  private static let number = "+4915112345678"

  @Test("a phone number signs in with the code that it receives", arguments: NetworkCondition.reliable)
  func signIn(over network: NetworkCondition) async throws {
    let phones = TestPhones()
    try await AuthFixture.with(over: network, configure: phones.connect) { fixture in
      let provider = PhoneAuthProvider.provider(auth: fixture.auth)
      let id = try await provider.verifyPhoneNumber(Self.number)
      let code = try await phones.code(Self.number, count: 1)
      let wrong = provider.credential(withVerificationID: id, verificationCode: code == "000000" ? "000001" : "000000")
      #expect(await authCode { try await fixture.auth.signIn(with: wrong) } == .invalidVerificationCode)
      let credential = provider.credential(withVerificationID: id, verificationCode: code)
      let result = try await fixture.auth.signIn(with: credential)
      #expect(result.additionalUserInfo?.isNewUser == true && result.additionalUserInfo?.providerID == "phone")
      #expect(result.user.phoneNumber == Self.number && !result.user.isAnonymous)
      #expect(result.user.providerData.map(\.providerID) == [PhoneAuthProvider.id])
      #expect(try await result.user.getIDTokenResult().signInProvider == "phone")
      #expect(await authCode { try await fixture.auth.signIn(with: credential) } == .invalidVerificationID)
      #expect("\(credential)".contains(code) == false && String(reflecting: credential).contains(id) == false)
      // Signing in again with the number opens the same account.
      let again = try fixture.another()
      let other = PhoneAuthProvider.provider(auth: again)
      let second = try await other.verifyPhoneNumber(Self.number)
      let entered = other.credential(
        withVerificationID: second, verificationCode: try await phones.code(Self.number, count: 2))
      #expect(try await again.signIn(with: entered).user.uid == result.user.uid)
      let third = try await other.verifyPhoneNumber(Self.number)
      let proof = other.credential(
        withVerificationID: third, verificationCode: try await phones.code(Self.number, count: 3))
      #expect(try await again.currentUser?.reauthenticate(with: proof).user.uid == result.user.uid)
    }
  }

  @Test("a phone number is linked, replaced and unlinked", arguments: NetworkCondition.reliable)
  func link(over network: NetworkCondition) async throws {
    let phones = TestPhones()
    try await AuthFixture.with(over: network, configure: phones.connect) { fixture in
      let provider = PhoneAuthProvider.provider(auth: fixture.auth)
      var count = 0
      func credential(_ number: String) async throws -> PhoneAuthCredential {
        let id = try await provider.verifyPhoneNumber(number)
        count += 1
        return provider.credential(
          withVerificationID: id, verificationCode: try await phones.code(number, count: count))
      }
      let user = try await fixture.auth.signInAnonymously().user
      try await user.link(with: try await credential(Self.number))
      #expect(user.phoneNumber == Self.number && !user.isAnonymous)
      try await user.updatePhoneNumber(try await credential("+4915187654321"))
      #expect(user.phoneNumber == "+4915187654321")
      let again = try await credential(Self.number)
      #expect(await authCode { try await user.link(with: again) } == .providerAlreadyLinked)
      #expect(try await user.unlink(fromProvider: PhoneAuthProvider.id).phoneNumber == nil)
    }
  }

  @Test("a number of another account does not link; the error's credential signs in to that account")
  func taken() async throws {
    let phones = TestPhones()
    try await AuthFixture.with(configure: phones.connect) { fixture in
      let provider = PhoneAuthProvider.provider(auth: fixture.auth)
      let first = try await provider.verifyPhoneNumber(Self.number)
      let owner = try await fixture.auth.signIn(
        with: provider.credential(
          withVerificationID: first, verificationCode: try await phones.code(Self.number, count: 1))
      ).user
      let other = try fixture.another()
      let guest = try await other.signInAnonymously().user
      let second = try await provider.verifyPhoneNumber(Self.number)
      let credential = provider.credential(
        withVerificationID: second, verificationCode: try await phones.code(Self.number, count: 2))
      do {
        try await guest.link(with: credential)
        Issue.record("linked")
      } catch {
        #expect(AuthErrorCode(error) == .credentialAlreadyInUse)
        let info = (error as NSError).userInfo
        let updated = try #require(info[AuthErrorUserInfoUpdatedCredentialKey] as? PhoneAuthCredential)
        #expect(try await other.signIn(with: updated).user.uid == owner.uid)
      }
    }
  }

  @Test("the forms with a completion send codes, and report missing and refused numbers")
  func completions() async throws {
    let phones = TestPhones()
    try await AuthFixture.with(configure: phones.connect) { fixture in
      let provider = PhoneAuthProvider.provider(auth: fixture.auth)
      for (number, code) in [
        (Self.number, nil), ("", .missingPhoneNumber), ("15112345678", .invalidPhoneNumber),
        ("+33612345678", .operationNotAllowed),
      ] as [(String, AuthErrorCode?)] {
        let (id, error) = await withCheckedContinuation { continuation in
          provider.verifyPhoneNumber(number) { id, error in
            continuation.resume(returning: (id, error.flatMap { AuthErrorCode($0) }))
          }
        }
        #expect((id == nil) == (code != nil) && error == code, "\(number)")
      }
      for (id, code, error) in [
        ("", "123456", AuthErrorCode.missingVerificationID), ("x", "", .missingVerificationCode),
        ("x", "123456", .invalidVerificationID),
      ] {
        let credential = provider.credential(withVerificationID: id, verificationCode: code)
        #expect(await authCode { try await fixture.auth.signIn(with: credential) } == error)
      }
    }
  }

  @Test(
    "an answer without a verification is an error", arguments: ["{}", #"{"sessionInfo":""}"#, #"{"sessionInfo":7}"#])
  func hostile(body: String) async throws {
    let auth = AuthFixture.auth(
      port: 1, transport: ScriptedTransport { _ in AuthAnswer(status: 200, body: Array(body.utf8)) })
    #expect(
      await authCode { _ = try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber(Self.number) }
        == .internalError)
  }
}
