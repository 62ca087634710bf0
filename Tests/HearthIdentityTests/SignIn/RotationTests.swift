import HearthTestKit
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct RotationTests {
  @Test("Security 30: Rotation tolerates a second tab and a lost reply, and a replay ends the whole session family")
  func rotation() async throws {
    let world = try IdentityWorld {
      $0.refresh.rotates = true
      $0.refresh.graceSeconds = 60
    }
    let first = try await world.signUp("a@b.example").refreshToken
    let second = try await world.refresh(first).refreshToken
    #expect(second != first)
    // Another tab refreshes a moment later.
    world.accountsFixture.advance(seconds: 30)
    let otherTab = try await world.refresh(first)
    #expect(otherTab.status == 200)
    // The reply is lost, and the client returns an hour later with its old token.
    let lost = try await world.refresh(otherTab.refreshToken)
    #expect(lost.status == 200)
    world.accountsFixture.advance(seconds: 3_600)
    let third = try await world.refresh(otherTab.refreshToken)
    #expect(third.status == 200)
    // The session continues in two clients: now another client must have the old token.
    let fourth = try await world.refresh(third.refreshToken)
    world.accountsFixture.advance(seconds: 3_600)
    let fifth = try await world.refresh(fourth.refreshToken)
    #expect(fifth.status == 200)
    #expect(try await world.refresh(otherTab.refreshToken).error == "TOKEN_EXPIRED")
    #expect(try await world.refresh(fifth.refreshToken).error == "TOKEN_EXPIRED")
    #expect(world.auditedKinds.contains("refresh_reuse"))
  }

  @Test("Security 30: when the owner later uses a token that a thief has refreshed, the session family ends")
  func stolen() async throws {
    let world = try IdentityWorld {
      $0.refresh.rotates = true
      $0.refresh.graceSeconds = 60
    }
    let first = try await world.signUp("a@b.example").refreshToken
    let thief = try await world.refresh(first).refreshToken
    world.accountsFixture.advance(seconds: 3_600)
    let owner = try await world.refresh(first)
    #expect(owner.status == 200)
    #expect(try await world.refresh(thief).error == "TOKEN_EXPIRED")
    #expect(try await world.refresh(owner.refreshToken).error == "TOKEN_EXPIRED")
    #expect(world.auditedKinds.contains("refresh_reuse"))
  }

  @Test("Rotation keeps a bounded number of records, and leaves other sessions alone")
  func rotationIsBounded() async throws {
    let world = try IdentityWorld { $0.refresh.rotates = true }
    let other = try await world.signUp("a@b.example")
    var token = try await world.signIn("a@b.example").refreshToken
    for _ in 0..<20 {
      world.accountsFixture.advance(seconds: 3_600)
      token = try await world.refresh(token).refreshToken
    }
    #expect(world.accounts.store.view.sessions(of: other.localID).count <= 4)
    #expect(try await world.refresh(other.refreshToken).status == 200)
  }
}
