import Foundation
import LiveServerKit
import Testing

@testable import HearthClient

@Suite struct AuthSignInTests {
  @Test("a custom token signs in as its uid, also in the ID token", arguments: NetworkCondition.reliable)
  func customToken(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let result = try await fixture.auth.signIn(withCustomToken: "uid:ada")
      #expect(result.user.uid == "ada" && fixture.auth.currentUser === result.user && !result.user.isAnonymous)
      #expect(result.additionalUserInfo?.isNewUser == true)
      let token = try await result.user.getIDTokenResult()
      #expect(token.signInProvider == "custom" && token.claims["sub"] as? String == "ada")
      #expect(token.expirationDate > token.issuedAtDate && token.authDate <= token.issuedAtDate)
      #expect(await authCode { try await fixture.auth.signIn(withCustomToken: "rubbish") } == .invalidCustomToken)
      #expect(fixture.auth.currentUser?.uid == "ada")
    }
  }

  @Test(
    "an anonymous user is one account until an address is linked to it, which keeps the uid",
    arguments: NetworkCondition.reliable)
  func guest(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let guest = try await fixture.auth.signInAnonymously().user
      #expect(guest.isAnonymous && guest.email == nil && guest.providerID == "Firebase")
      #expect(try await fixture.auth.signInAnonymously().user === guest)
      #expect(fixture.transport.count("accounts:signUp") == 1)
      let credential = EmailAuthProvider.credential(withEmail: "guest@example.com", password: "secret1")
      let linked = try await guest.link(with: credential)
      #expect(linked.user === guest && !guest.isAnonymous && guest.email == "guest@example.com")
      #expect(guest.providerData.map(\.providerID) == ["password"])
      #expect(await authCode { try await guest.link(with: credential) } == .providerAlreadyLinked)
      #expect(try await guest.getIDTokenResult().signInProvider == "password")
      let again = try fixture.another()
      #expect(try await again.signIn(with: credential).user.uid == guest.uid)
    }
  }

  @Test(
    "an account is created with an address and a password, once, and signed in to with both",
    arguments: NetworkCondition.reliable)
  func password(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let auth = fixture.auth
      let made = try await auth.createUser(withEmail: "Ada@example.com", password: "secret1")
      #expect(made.additionalUserInfo?.isNewUser == true && made.user.email?.lowercased() == "ada@example.com")
      #expect(made.user.metadata.creationDate != nil && !made.user.isEmailVerified)
      #expect(
        await authCode { try await auth.createUser(withEmail: "ada@example.com", password: "secret1") }
          == .emailAlreadyInUse)
      #expect(
        await authCode { try await auth.createUser(withEmail: "b@example.com", password: "123") } == .weakPassword)
      #expect(await authCode { try await auth.createUser(withEmail: "nothing", password: "secret1") } == .invalidEmail)
      #expect(await authCode { try await auth.createUser(withEmail: "", password: "secret1") } == .missingEmail)
      try auth.signOut()
      #expect(auth.currentUser == nil)
      let user = try await auth.signIn(withEmail: "ada@example.com", password: "secret1").user
      #expect(user.uid == made.user.uid && user !== made.user)
      #expect(
        await authCode { try await auth.signIn(withEmail: "ada@example.com", password: "other12") }
          == .invalidCredential)
      #expect(await authCode { try await auth.signIn(withEmail: "ada@example.com", password: "") } == .wrongPassword)
      #expect(auth.currentUser === user)
    }
  }

  @Test("a mailed link signs in", arguments: NetworkCondition.reliable)
  func emailLink(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let settings = ActionCodeSettings()
      settings.url = URL(string: "https://app.example/in")
      settings.handleCodeInApp = true
      try await fixture.auth.sendSignInLink(toEmail: "ada@example.com", actionCodeSettings: settings)
      let link = try await fixture.test.mailer.link(.emailSignIn)
      #expect(
        fixture.auth.isSignIn(withEmailLink: link) && !fixture.auth.isSignIn(withEmailLink: "https://app.example/in"))
      let parsed = try #require(ActionCodeURL(link: link))
      #expect(parsed.operation == .emailLink && parsed.continueURL == settings.url && parsed.code?.isEmpty == false)
      #expect(!"\(parsed)\(String(reflecting: parsed))".contains(parsed.code ?? ""))
      let wrapped = "https://app.example/open?link=" + FormEncoding.escape(link)
      #expect(fixture.auth.isSignIn(withEmailLink: wrapped))
      let result = try await fixture.auth.signIn(withEmail: "ada@example.com", link: wrapped)
      #expect(result.user.email == "ada@example.com" && result.user.isEmailVerified)
      #expect(
        await authCode { try await fixture.auth.signIn(withEmail: "ada@example.com", link: link) } == .invalidActionCode
      )
    }
  }

  @Test(
    "a provider's credential signs in, links and unlinks; one of another account does not link",
    arguments: NetworkCondition.reliable)
  func provider(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let credential = GoogleAuthProvider.credential(
        withIDToken: "person:7:ada@example.com", accessToken: "a")
      let result = try await fixture.auth.signIn(with: credential)
      #expect(result.additionalUserInfo?.providerID == "google.com" && result.additionalUserInfo?.isNewUser == true)
      #expect(result.additionalUserInfo?.username == "at_7")
      #expect(result.additionalUserInfo?.profile?["likes"] as? String == "tea")
      #expect(result.credential?.idToken == "person:7:ada@example.com")
      #expect(result.user.displayName == "Person 7" && result.user.providerData.first?.uid == "7")
      let ada = result.user
      try await ada.link(with: GitHubAuthProvider.credential(withToken: "person:77"))
      #expect(Set(ada.providerData.map(\.providerID)) == ["google.com", "github.com"])
      let other = try fixture.another()
      let bob = try await other.signInAnonymously().user
      #expect(
        await authCode { try await bob.link(with: GitHubAuthProvider.credential(withToken: "person:77")) }
          == .credentialAlreadyInUse)
      #expect(try await ada.unlink(fromProvider: "github.com").providerData.map(\.providerID) == ["google.com"])
      #expect(await authCode { try await ada.unlink(fromProvider: "github.com") } == .noSuchProvider)
      let apple = OAuthProvider.credential(withProviderID: "apple.com", idToken: "person:1", rawNonce: "n")
      #expect(await authCode { try await other.signIn(with: apple) } != nil)
      let wrong = OAuthProvider.credential(providerID: .google, accessToken: "nobody")
      #expect(await authCode { try await other.signIn(with: wrong) } == .invalidCredential)
      #expect(other.currentUser === bob)
    }
  }

  @Test("completions come in order on the app's queue, with a result or an error", arguments: NetworkCondition.reliable)
  func completions(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let queue = DispatchQueue(label: "app")
      let key = DispatchSpecificKey<Bool>()
      queue.setSpecific(key: key, value: true)
      fixture.auth.callbackQueue = queue
      let uid = await withCheckedContinuation { continuation in
        fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1") { result, error in
          #expect(DispatchQueue.getSpecific(key: key) == true && error == nil)
          continuation.resume(returning: result?.user.uid)
        }
      }
      #expect(uid != nil && uid == fixture.auth.currentUser?.uid)
      let code = await withCheckedContinuation { continuation in
        fixture.auth.signIn(withEmail: "ada@example.com", password: "wrong12") { result, error in
          #expect(result == nil)
          continuation.resume(returning: error.flatMap { AuthErrorCode($0) })
        }
      }
      #expect(code == .invalidCredential)
      let error = await withCheckedContinuation { continuation in
        fixture.auth.currentUser?.reload { continuation.resume(returning: $0.map { "\($0)" }) }
      }
      #expect(error == nil)
    }
  }
}
