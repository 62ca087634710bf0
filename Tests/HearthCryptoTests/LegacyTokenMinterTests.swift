import Testing

@testable import HearthCrypto

@Suite("Legacy token minter")
struct LegacyTokenMinterTests {
  private let verifier = LegacyTokenVerifier(secrets: TokenForge.secrets)
  private let now = TokenForge.now
  private let minter = LegacyTokenMinter(secrets: TokenForge.secrets)

  @Test("A minted token is valid and has the requested claims")
  func mint() throws {
    let token = try minter.mint(
      uid: "alice é🙂", claims: [.init("role", .string("editor")), .init("n", .array([.int(1), .double(2.5), .null]))],
      issuedAtSeconds: now,
      options: .init(expiresAtSeconds: now + 60, notBeforeSeconds: now - 1, debug: true, simulate: true))
    let credential = try verifier.verify(token, nowSeconds: now)
    #expect(credential.authPayload?["uid"] == .string("alice é🙂"))
    #expect(credential.authPayload?["role"] == .string("editor"))
    #expect(credential.authPayload?["n"] == .array([.int(1), .double(2.5), .null]))
    #expect(credential.expiresAtSeconds == now + 60)
    #expect(credential.debug && credential.simulate && !credential.authority.bypassesRules)
    #expect(try TokenReader.read(token).header == TokenForge.object(#"{"alg":"HS256","typ":"JWT"}"#))
  }

  @Test("An administrator's token needs no user")
  func mintAdmin() throws {
    let token = try minter.mint(uid: nil, issuedAtSeconds: now, options: .init(admin: true))
    #expect(try verifier.verify(token, nowSeconds: now).authority.bypassesRules)
  }

  @Test("Tokens that no server would accept are not minted")
  func mintRefused() {
    func code(_ body: () throws(TokenMintError) -> String) -> TokenMintError.Code? {
      do {
        _ = try body()
        return nil
      } catch {
        return error.code
      }
    }
    let now = now
    #expect(code { () throws(TokenMintError) in try minter.mint(uid: nil, issuedAtSeconds: now) } == .missingUID)
    #expect(code { () throws(TokenMintError) in try minter.mint(uid: "", issuedAtSeconds: now) } == .missingUID)
    #expect(
      code { () throws(TokenMintError) in
        try minter.mint(uid: String(repeating: "a", count: 257), issuedAtSeconds: now)
      } == .uidTooLong)
    #expect(
      code { () throws(TokenMintError) in
        try minter.mint(uid: "a", claims: [.init("uid", .string("b"))], issuedAtSeconds: now)
      } == .forbiddenClaim)
    #expect(
      code { () throws(TokenMintError) in
        try minter.mint(
          uid: "a", claims: [.init("x", .string(String(repeating: "x", count: 900)))], issuedAtSeconds: now)
      } == .tokenTooLong)
    #expect(
      code { () throws(TokenMintError) in
        try minter.mint(
          uid: "a", claims: [.init("x", .string(String(repeating: "x", count: 900_000)))], issuedAtSeconds: now)
      } == .tokenTooLong)
    #expect(
      code { () throws(TokenMintError) in
        try minter.mint(uid: "a", issuedAtSeconds: now, options: .init(expiresAtSeconds: now))
      } == .invalidTimes)
    #expect(
      code { () throws(TokenMintError) in try minter.mint(uid: "a\u{0}b", issuedAtSeconds: now) } == .refused)
  }

  @Test("Claims that the server would refuse, and invalid times, make no token")
  func mintUnreadable() {
    let deep = (0..<31).reduce(ClaimValue.int(1)) { value, _ in .array([value]) }
    #expect(throws: TokenMintError.refused("")) {
      try minter.mint(uid: "a", claims: [.init("x", deep)], issuedAtSeconds: now)
    }
    for time: Int64 in [-1, 1 << 53, .max, .min] {
      #expect(throws: TokenMintError.invalidTimes("")) { try minter.mint(uid: "a", issuedAtSeconds: time) }
    }
  }
}
