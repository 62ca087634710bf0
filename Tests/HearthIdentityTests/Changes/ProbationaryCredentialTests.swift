import HearthPlugin
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of sign-in methods that a session without a recent sign-in adds.
@Suite struct ProbationaryCredentialTests {
  @Test("a sign-in method added by an old session is trusted after a week, or once a recent session adds it again")
  func lateWay() async throws {
    let fixture = try await CredentialChangeFixture(.phoneLinked, isTenant: false)
    #expect(try await fixture.askedByTheWayThatAnOldSessionAdds() == "refused")
    #expect(try await fixture.askedByTheAddedWay(afterSeconds: 7 * 86_400 - 60) == "refused")
    #expect(try await fixture.askedByTheAddedWay(afterSeconds: 120) == "allowed")
    let recent = try await CredentialChangeFixture(.providerLinked, isTenant: false)
    #expect(try await recent.askedByTheWayThatAnOldSessionAdds(afterSeconds: 0) == "allowed")
    #expect(try await recent.asked() == "allowed", "the ways that were there before count as they did")
  }

  @Test("an old session that gives an account its first address does not get a recent sign-in by it")
  func lateAddress() async throws {
    let fixture = try await CredentialChangeFixture(.addressLinked, isTenant: false)
    try await fixture.putWithoutAddress()
    #expect(try await fixture.askedByTheWayThatAnOldSessionAdds() == "refused")
  }

  @Test("an old session cannot add an unverified address, whose mailbox would allow a takeover of the account")
  func unprovenAddress() async throws {
    let foreign = ForeignIdentity(rawID: "2", email: "mine@example.com")
    for (seconds, email) in [(600, nil), (0, "mine@example.com")] as [(Int64, String?)] {
      let fixture = try await CredentialChangeFixture(.providerLinked, isTenant: false)
      try await fixture.putWithoutAddress()
      let session = try await fixture.session(fixture.signIn)
      fixture.identityFixture.accountsFixture.advance(seconds: seconds)
      let caller = try fixture.accounts.sessions.callers.caller(
        idToken: session.idToken, now: fixture.identityFixture.accountsFixture.now)
      let (user, _) = try await fixture.accounts.signIn.federated.link(
        FederatedIdentity(providerID: "github.com", foreign), pending: nil, to: caller,
        client: fixture.identityFixture.accountsFixture.client(),
        now: fixture.identityFixture.accountsFixture.now)
      #expect(user.email == email && user.identities.last?.email == "mine@example.com")
    }
  }
}

extension CredentialChangeFixture {
  /// Adds a sign-in method in an old session, signs in by it, and returns the answer to a change of the password.
  func askedByTheWayThatAnOldSessionAdds(afterSeconds seconds: Int64 = 600) async throws -> String {
    guard [.addressLinked, .phoneLinked, .providerLinked].contains(change) else { return "-" }
    let old = try await session(SignInContext("google.com"))
    identityFixture.accountsFixture.advance(seconds: seconds)
    let tokens = try #require(try await make(by: old))
    // The session that added the method keeps its age.
    let kept = try accounts.sessions.callers.caller(idToken: tokens.idToken, now: identityFixture.accountsFixture.now)
    #expect(kept.authTimeSeconds == identityFixture.nowSeconds - seconds)
    return try await askedByTheAddedWay(afterSeconds: 0)
  }

  func askedByTheAddedWay(afterSeconds seconds: Int64) async throws -> String {
    identityFixture.accountsFixture.advance(seconds: seconds)
    let added = change == .addressLinked ? .password : change == .phoneLinked ? signIn : SignInContext("github.com")
    let session = try await session(added)
    let caller = try accounts.sessions.callers.caller(
      idToken: session.idToken, now: identityFixture.accountsFixture.now)
    do throws(AccountError) {
      try accounts.changes.credentials.require([.passwordChanged], of: caller, now: identityFixture.accountsFixture.now)
      return "allowed"
    } catch {
      return error.code == .credentialTooOld ? "refused" : "\(error)"
    }
  }

  /// Removes all sign-in methods of the account except a provider's identity.
  func putWithoutAddress() async throws {
    var bare = try user
    (bare.email, bare.isEmailVerified, bare.password) = (nil, false, nil)
    try await put(bare)
  }
}
