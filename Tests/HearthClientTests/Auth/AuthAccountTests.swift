import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

@Suite struct AuthAccountTests {
  @Test(
    "a changed password ends the user's other sessions, whose clients sign themselves out",
    arguments: NetworkCondition.reliable
  )
  func changePassword(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      let other = try fixture.another()
      try await other.signIn(withEmail: "ada@example.com", password: "secret1")
      let elsewhere = try #require(other.currentUser)
      let before = user.refreshToken
      try await user.updatePassword(to: "secret2")
      #expect(user.refreshToken != before && fixture.auth.currentUser === user)
      _ = try await user.getIDToken(forcingRefresh: true)
      #expect(await authCode { _ = try await elsewhere.getIDToken(forcingRefresh: true) } == .userTokenExpired)
      #expect(other.currentUser == nil)
      #expect(
        await authCode { try await other.signIn(withEmail: "ada@example.com", password: "secret1") }
          == .invalidCredential)
      #expect(try await other.signIn(withEmail: "ada@example.com", password: "secret2").user.uid == user.uid)
      #expect(await authCode { try await user.updatePassword(to: "1") } == .weakPassword)
    }
  }

  @Test("a forgotten password is reset with the mailed code, once", arguments: NetworkCondition.reliable)
  func reset(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let auth = fixture.auth
      try await auth.createUser(withEmail: "ada@example.com", password: "secret1")
      try await auth.sendPasswordReset(withEmail: "ada@example.com")
      try await auth.sendPasswordReset(withEmail: "nobody@example.com")
      let code = code(of: try await fixture.test.mailer.link(.resetPassword))
      #expect(try await auth.verifyPasswordResetCode(code) == "ada@example.com")
      let info = try await auth.checkActionCode(code)
      #expect(info == ActionCodeInfo(operation: .passwordReset, email: "ada@example.com", previousEmail: nil))
      try await auth.confirmPasswordReset(withCode: code, newPassword: "secret2")
      #expect(
        await authCode { try await auth.confirmPasswordReset(withCode: code, newPassword: "secret3") }
          == .invalidActionCode)
      try await auth.signIn(withEmail: "ada@example.com", password: "secret2")
      #expect(await authCode { _ = try await auth.verifyPasswordResetCode("rubbish") } == .invalidActionCode)
    }
  }

  @Test("a token of Apple is revoked for a signed-in user only")
  func revokeToken() async throws {
    try await AuthFixture.with { fixture in
      #expect(await authCode { try await fixture.auth.revokeToken(withAuthorizationCode: "c") } == .nullUser)
      try await fixture.auth.signInAnonymously()
      try await fixture.auth.revokeToken(withAuthorizationCode: "c")
      #expect(fixture.transport.count("accounts:revokeToken") == 1)
    }
  }

  @Test("an address is verified, and changed by a link mailed to the new one", arguments: NetworkCondition.reliable)
  func address(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let auth = fixture.auth
      let user = try await auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      try await user.sendEmailVerification()
      try await auth.applyActionCode(code(of: try await fixture.test.mailer.link(.verifyEmail)))
      try await user.reload()
      #expect(user.isEmailVerified)
      // Existing addresses are hidden, so an address cannot be changed directly.
      #expect(await authCode { try await user.updateEmail(to: "new@example.com") } == .operationNotAllowed)
      try await user.sendEmailVerification(beforeUpdatingEmail: "new@example.com")
      let change = code(of: try await fixture.test.mailer.link(.verifyAndChangeEmail))
      let info = try await auth.checkActionCode(change)
      #expect(info.operation == .verifyAndChangeEmail && info.email == "new@example.com")
      #expect(info.previousEmail == "ada@example.com")
      try await auth.applyActionCode(change)
      let again = try await auth.signIn(withEmail: "new@example.com", password: "secret1").user
      #expect(again.uid == user.uid && again.email == "new@example.com")
    }
  }

  @Test(
    "without e-mail enumeration protection addresses are set at once, and their sign-in methods are listed",
    arguments: NetworkCondition.reliable)
  func openAddress(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network, hidesAddresses: false) { fixture in
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      try await user.updateEmail(to: "new@example.com")
      #expect(user.email == "new@example.com" && fixture.auth.currentUser === user)
      #expect(try await fixture.auth.fetchSignInMethods(forEmail: "new@example.com") == ["password"])
      #expect(
        await authCode { try await fixture.auth.signIn(withEmail: "new@example.com", password: "wrong12") }
          == .wrongPassword)
      #expect(
        await authCode { try await fixture.auth.signIn(withEmail: "ada@example.com", password: "secret1") }
          == .userNotFound)
    }
  }

  @Test("name and picture are set, kept and removed", arguments: NetworkCondition.reliable)
  func profile(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.signInAnonymously().user
      let change = user.createProfileChangeRequest()
      change.displayName = "Ada"
      change.photoURL = URL(string: "https://app.example/ada.png")
      try await change.commitChanges()
      #expect(user.displayName == "Ada" && user.photoURL?.absoluteString == "https://app.example/ada.png")
      let removal = user.createProfileChangeRequest()
      removal.photoURL = nil
      #expect(removal.displayName == "Ada")
      try await removal.commitChanges()
      #expect(user.displayName == "Ada" && user.photoURL == nil)
    }
  }

  @Test("reauthentication needs the same user", arguments: NetworkCondition.reliable)
  func reauthenticate(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      try await fixture.another().createUser(withEmail: "bob@example.com", password: "secret1")
      let before = user.refreshToken
      try await user.reauthenticate(
        with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1"))
      #expect(user.refreshToken != before && fixture.auth.currentUser === user)
      let other = EmailAuthProvider.credential(withEmail: "bob@example.com", password: "secret1")
      #expect(await authCode { try await user.reauthenticate(with: other) } == .userMismatch)
      #expect(fixture.auth.currentUser === user && user.email == "ada@example.com")
    }
  }

  @Test("a deleted account can no longer be used, by this client or another", arguments: NetworkCondition.reliable)
  func delete(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      let other = try fixture.another()
      let elsewhere = try await other.signIn(withEmail: "ada@example.com", password: "secret1").user
      try await user.delete()
      #expect(fixture.auth.currentUser == nil)
      #expect(try fixture.store.load() == nil)
      let code = await authCode { try await elsewhere.reload() }
      #expect(code?.endsSession == true && other.currentUser == nil)
    }
  }

  @Test("a user of one app becomes the user of another app by request", arguments: NetworkCondition.reliable)
  func update(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.signInAnonymously().user
      let other = try fixture.another()
      try await other.updateCurrentUser(user)
      #expect(
        other.currentUser?.uid == user.uid && other.currentUser !== user && other.currentUser?.isAnonymous == true)
      let code = await withCheckedContinuation { continuation in
        other.updateCurrentUser(nil) { continuation.resume(returning: $0.flatMap { AuthErrorCode($0) }) }
      }
      #expect(code == .nullUser)
    }
  }

  private func code(of link: String) -> String {
    String((link.split(separator: "oobCode=").last ?? "").prefix { $0 != "&" })
  }
}
