import Testing

@testable import HearthCrypto

@Suite("Admin tokens")
struct AdminTokensTests {
  private let now = TokenForge.now

  @Test("A minted token grants only its scopes; the permanent one grants all")
  func scopes() throws {
    let tokens = TokenForge.adminTokens([TokenForge.adminToken])
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

  @Test("A token is accepted only with the same key and project, and names its owner")
  func everywhere() throws {
    let owner = AdminTokens.Owner(email: "ci@demo.iam.gserviceaccount.com", generation: 1 << 40)
    let token = try TokenForge.adminTokens([]).mint(nowSeconds: now, owner: owner, random: .system)
    let node = TokenForge.adminTokens([])
    #expect(node.verify(token, nowSeconds: now) == .valid(expiresAtSeconds: now + 3_600))
    #expect(node.holder(of: token)?.owner == owner)
    let credential = try CredentialVerifier(adminTokens: node).verify(token, nowSeconds: now)
    #expect(credential.owner == owner.email && credential.ownerGeneration == owner.generation)
    let key = try #require(SealingKey(text: try SealingKey.generate(random: .system)))
    for stranger in [
      TokenForge.adminTokens([], projectID: "another"),
      AdminTokens(permanent: [], key: key, projectID: TokenForge.projectID),
    ] {
      #expect(stranger.verify(token, nowSeconds: now) == .unknown && stranger.holder(of: token) == nil)
    }
  }

  @Test("A token with any change is refused")
  func changes() throws {
    let tokens = TokenForge.adminTokens([])
    let token = try tokens.mint(nowSeconds: now, owner: .init(email: "a@b", generation: 1), random: .system)
    for place in AdminTokens.prefix.utf8.count..<token.utf8.count {
      var bytes = Array(token.utf8)
      bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(tokens.verify(String(decoding: bytes, as: UTF8.self), nowSeconds: now) == .unknown)
    }
    for length in 0..<token.utf8.count {
      #expect(tokens.verify(String(token.prefix(length)), nowSeconds: now) == .unknown)
    }
    #expect(tokens.verify("x" + token.dropFirst(), nowSeconds: now) == .unknown)
    // A token without an owner has no holder.
    #expect(tokens.holder(of: try tokens.mint(nowSeconds: now, random: .system)) == .operator)
  }

  @Test("A token of a console session has that session's authority, limited to the token's scopes")
  func authorities() throws {
    let tokens = TokenForge.adminTokens([])
    let front = CredentialVerifier(adminTokens: tokens)
    func authority(isViewer: Bool, isPresent: Bool) throws -> Authority {
      let token = try tokens.mint(
        session: .max, isViewer: isViewer, isPresent: isPresent, nowSeconds: now, lifetimeSeconds: 60, random: .system)
      return try front.verify(token, nowSeconds: now).authority
    }
    #expect(
      try authority(isViewer: false, isPresent: true) == .consoleAdministrator(session: .max, isPresent: true))
    #expect(
      try authority(isViewer: false, isPresent: false) == .consoleAdministrator(session: .max, isPresent: false))
    #expect(try authority(isViewer: true, isPresent: true) == .consoleViewer(session: .max))
    let limited = try front.verify(
      try tokens.mint(nowSeconds: now, scopes: .database, random: .system), nowSeconds: now)
    #expect(limited.authority.allows(.deployRules) && limited.owner == nil)
    for permission in Permission.allCases where permission.scope != .database {
      #expect(!limited.authority.allows(permission))
    }
  }

  @Test("A minted token is valid until its expiry")
  func lifetime() throws {
    let tokens = TokenForge.adminTokens([])
    let token = try tokens.mint(nowSeconds: now, lifetimeSeconds: 10, random: .system)
    #expect(token.hasPrefix(AdminTokens.prefix))
    #expect(tokens.verify(token, nowSeconds: now + 9) == .valid(expiresAtSeconds: now + 10))
    #expect(tokens.verify(token, nowSeconds: now + 10) == .expired)
    #expect(tokens.verify(token + "A", nowSeconds: now) == .unknown)
    let long = try tokens.mint(nowSeconds: now, lifetimeSeconds: .max, random: .system)
    #expect(tokens.verify(long, nowSeconds: now) == .valid(expiresAtSeconds: now + AdminTokens.lifetimeSecondsMax))
  }

  @Test("The credential verifier reports an expired token as expired")
  func front() throws {
    let tokens = TokenForge.adminTokens([])
    let front = CredentialVerifier(adminTokens: tokens)
    let token = try tokens.mint(nowSeconds: now, random: .system)
    #expect(try front.verify(token, nowSeconds: now).expiresAtSeconds == now + 3_600)
    #expect(TokenForge.refusal(token, nowSeconds: now + 3_600, front: front) == .expiredToken)
  }
}
