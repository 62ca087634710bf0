import Testing

@testable import HearthCrypto

@Suite("Admin tokens")
struct AdminTokensTests {
  private let now = TokenForge.now

  @Test("A minted token opens what its scopes say and nothing else; the permanent one opens everything")
  func scopes() throws {
    let tokens = AdminTokens(permanent: [TokenForge.adminToken])
    let front = CredentialVerifier(adminTokens: tokens)
    for (scopes, name) in [
      (AdminScopes.database, "https://www.googleapis.com/auth/firebase.database"),
      (.identity, "https://www.googleapis.com/auth/identitytoolkit"),
      (.all, "https://www.googleapis.com/auth/cloud-platform"), (.all, "https://www.googleapis.com/auth/firebase"),
      ([], "https://www.googleapis.com/auth/userinfo.email"), ([], ""), ([], "cloud-platform"),
      ([], "https://www.googleapis.com/auth/firebase.database/"),
    ] {
      #expect(AdminScopes(names: [name, "openid"]) == scopes)
      let token = try tokens.mint(nowSeconds: 0, scopes: AdminScopes(names: [name]), random: .system)
      for scope in [AdminScopes.database, .identity] {
        let isOpen = (try? front.verify(token, nowSeconds: 1, scope: scope)) != nil
        #expect(isOpen == scopes.contains(scope), "\(name)")
        #expect(tokens.verify(token, nowSeconds: 4_000, scope: scope) == .expired)
        #expect(tokens.verify(TokenForge.adminToken, nowSeconds: 1, scope: scope) == .valid(expiresAtSeconds: nil))
      }
      #expect(((try? front.verify(token, nowSeconds: 1)) != nil) == scopes.contains(.database), "a database's door")
    }
  }

  @Test("All tokens of an owner end at once, and nobody else's")
  func owners() throws {
    let tokens = AdminTokens(permanent: [])
    let first = try tokens.mint(nowSeconds: 0, owner: "a", random: .system)
    let second = try tokens.mint(nowSeconds: 0, owner: "a", random: .system)
    let other = try tokens.mint(nowSeconds: 0, owner: "b", random: .system)
    #expect(tokens.revokeAll(owner: "a") == 2)
    #expect(tokens.verify(first, nowSeconds: 1) == .unknown && tokens.verify(second, nowSeconds: 1) == .unknown)
    #expect(tokens.verify(other, nowSeconds: 1) == .valid(expiresAtSeconds: 3_600))
  }

  @Test("A minted token counts until its end")
  func lifetime() throws {
    let tokens = AdminTokens(permanent: [])
    let token = try tokens.mint(nowSeconds: now, lifetimeSeconds: 10, random: .system)
    #expect(token.hasPrefix(AdminTokens.prefix))
    #expect(tokens.verify(token, nowSeconds: now + 9) == .valid(expiresAtSeconds: now + 10))
    #expect(tokens.verify(token, nowSeconds: now + 10) == .expired)
    #expect(tokens.verify(token + "A", nowSeconds: now) == .unknown)
    let long = try tokens.mint(nowSeconds: now, lifetimeSeconds: .max, random: .system)
    #expect(tokens.verify(long, nowSeconds: now) == .valid(expiresAtSeconds: now + AdminTokens.lifetimeSecondsMax))
  }

  @Test("A revoked token is unknown at once")
  func revocation() throws {
    let tokens = AdminTokens(permanent: [TokenForge.adminToken])
    let token = try tokens.mint(nowSeconds: now, random: .system)
    #expect(tokens.revoke(token))
    #expect(!tokens.revoke(token))
    #expect(tokens.verify(token, nowSeconds: now) == .unknown)
    #expect(tokens.verify(TokenForge.adminToken, nowSeconds: now) == .valid(expiresAtSeconds: nil))
  }

  @Test("An ended token is answered as expired by the front")
  func front() throws {
    let tokens = AdminTokens(permanent: [])
    let front = CredentialVerifier(adminTokens: tokens)
    let token = try tokens.mint(nowSeconds: now, random: .system)
    #expect(try front.verify(token, nowSeconds: now).expiresAtSeconds == now + 3_600)
    #expect(TokenForge.refusal(token, nowSeconds: now + 3_600, front: front) == .expiredToken)
  }

  @Test("Their number is bounded: ended ones go first, then the one that ends first")
  func bound() throws {
    let tokens = AdminTokens(permanent: [], countMax: 3)
    let short = try tokens.mint(nowSeconds: now, lifetimeSeconds: 5, random: .system)
    let long = try tokens.mint(nowSeconds: now, lifetimeSeconds: 100, random: .system)
    let middle = try tokens.mint(nowSeconds: now, lifetimeSeconds: 50, random: .system)
    let later = try tokens.mint(nowSeconds: now + 10, lifetimeSeconds: 100, random: .system)
    #expect(tokens.verify(short, nowSeconds: now + 10) == .unknown)
    #expect(tokens.verify(middle, nowSeconds: now + 10) == .valid(expiresAtSeconds: now + 50))
    _ = try tokens.mint(nowSeconds: now + 10, lifetimeSeconds: 100, random: .system)
    #expect(tokens.verify(middle, nowSeconds: now + 10) == .unknown)
    #expect(tokens.verify(long, nowSeconds: now + 10) == .valid(expiresAtSeconds: now + 100))
    #expect(tokens.verify(later, nowSeconds: now + 10) == .valid(expiresAtSeconds: now + 110))
  }
}
