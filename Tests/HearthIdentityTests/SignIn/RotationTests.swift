import HearthTestKit
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct RotationTests {
  @Test("Security 30: Rotation tolerates a second tab and a lost reply, and a replay ends the whole session family")
  func rotation() async throws {
    let fixture = try IdentityFixture {
      $0.refresh.rotates = true
      $0.refresh.graceSeconds = 60
    }
    let first = try await fixture.signUp("a@b.example").refreshToken
    let second = try await fixture.refresh(first).refreshToken
    #expect(second != first)
    // Another tab refreshes a moment later.
    fixture.accountsFixture.advance(seconds: 30)
    let otherTab = try await fixture.refresh(first)
    #expect(otherTab.status == 200)
    // The reply is lost, and the client returns an hour later with its old token.
    let lost = try await fixture.refresh(otherTab.refreshToken)
    #expect(lost.status == 200)
    fixture.accountsFixture.advance(seconds: 3_600)
    let third = try await fixture.refresh(otherTab.refreshToken)
    #expect(third.status == 200)
    // The session continues in two clients: now another client must have the old token.
    let fourth = try await fixture.refresh(third.refreshToken)
    fixture.accountsFixture.advance(seconds: 3_600)
    let fifth = try await fixture.refresh(fourth.refreshToken)
    #expect(fifth.status == 200)
    #expect(try await fixture.refresh(otherTab.refreshToken).error == "TOKEN_EXPIRED")
    #expect(try await fixture.refresh(fifth.refreshToken).error == "TOKEN_EXPIRED")
    #expect(fixture.auditedKinds.contains("refresh_reuse"))
  }

  @Test("Security 30: when the owner later uses a token that a thief has refreshed, the session family ends")
  func stolen() async throws {
    let fixture = try IdentityFixture {
      $0.refresh.rotates = true
      $0.refresh.graceSeconds = 60
    }
    let first = try await fixture.signUp("a@b.example").refreshToken
    let thief = try await fixture.refresh(first).refreshToken
    fixture.accountsFixture.advance(seconds: 3_600)
    let owner = try await fixture.refresh(first)
    #expect(owner.status == 200)
    #expect(try await fixture.refresh(thief).error == "TOKEN_EXPIRED")
    #expect(try await fixture.refresh(owner.refreshToken).error == "TOKEN_EXPIRED")
    #expect(fixture.auditedKinds.contains("refresh_reuse"))
  }

  @Test("Rotation keeps a bounded number of records, and leaves other sessions alone")
  func rotationIsBounded() async throws {
    let fixture = try IdentityFixture { $0.refresh.rotates = true }
    let other = try await fixture.signUp("a@b.example")
    var token = try await fixture.signIn("a@b.example").refreshToken
    for _ in 0..<20 {
      fixture.accountsFixture.advance(seconds: 3_600)
      token = try await fixture.refresh(token).refreshToken
    }
    #expect(fixture.accounts.store.view.sessions(of: other.localID).count <= 4)
    #expect(try await fixture.refresh(other.refreshToken).status == 200)
  }
}
