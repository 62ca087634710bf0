import Testing

@testable import HearthCrypto

@Suite("Key rotation")
struct KeyRotationTests {
  private let folder = KeyFolder()
  private let start: Int64 = 1_700_000_000
  private let day: Int64 = 86_400

  private func states(_ ring: KeyRing, _ kind: KeyKind = .idToken) -> [KeyState] { ring.list(kind).map(\.state) }

  private func token(_ ring: KeyRing, at seconds: Int64) throws -> String {
    try ring.mintIDToken(
      IDTokenSubject(uid: "alice", signInProvider: "password", authTimeSeconds: seconds), issuedAtSeconds: seconds)
  }

  private func refusal(_ ring: KeyRing, _ token: String, at seconds: Int64) -> CredentialError.Code? {
    do {
      _ = try ring.verifier.verify(token, nowSeconds: seconds)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("A key is published an hour before it signs, signs for thirty days, and stays until its last token has expired")
  func calendar() throws {
    let ring = try folder.ring()
    let first = ring.list(.idToken)[0].kid
    #expect(ring.list(.idToken)[0].createdAtSeconds == nil)
    #expect(ring.rotateIfDue(nowSeconds: start) == .success(true), "dates are stamped")
    #expect(ring.list(.idToken)[0].createdAtSeconds == start)
    #expect(ring.rotateIfDue(nowSeconds: start + 30 * day - 3_601) == .success(false))

    #expect(ring.rotateIfDue(nowSeconds: start + 30 * day - 3_600) == .success(true))
    #expect(states(ring) == [.next, .signing])
    #expect(ring.certificates(.idToken).count == 2)
    let second = ring.list(.idToken)[0].kid
    let early = try token(ring, at: start + 30 * day - 1)
    #expect(try TokenReader.read(early).header["kid"] == .string(first))
    #expect(ring.rotateIfDue(nowSeconds: start + 30 * day - 1) == .success(false))

    #expect(ring.rotateIfDue(nowSeconds: start + 30 * day) == .success(true))
    #expect(states(ring) == [.signing, .retired])
    let late = try token(ring, at: start + 30 * day)
    #expect(try TokenReader.read(late).header["kid"] == .string(second))
    #expect(refusal(ring, early, at: start + 30 * day + 1) == nil)

    #expect(ring.rotateIfDue(nowSeconds: start + 44 * day) == .success(false))
    #expect(ring.rotateIfDue(nowSeconds: start + 44 * day + 60) == .success(true))
    #expect(ring.list(.idToken).map(\.kid) == [second])
  }

  @Test("Security 32: tokens of a retired key are valid until they expire; a removed key's tokens are refused at once")
  func rotateAndRemove() throws {
    let ring = try folder.ring()
    let old = try token(ring, at: start)
    let known = try ring.verifier.verify(old, nowSeconds: start)  // Verified once, so that the token is in the cache.
    try ring.rotate(.idToken, nowSeconds: start, isUrgent: true)
    let fresh = try token(ring, at: start)
    #expect(states(ring) == [.signing, .retired])
    #expect(try TokenReader.read(fresh).header["kid"] == .string(ring.list(.idToken)[0].kid))
    #expect(refusal(ring, old, at: start + 3_599) == nil)
    #expect(refusal(ring, old, at: start + 3_600) == .expiredToken)
    #expect(ring.isKeyValid(of: known))

    let generation = ring.generation
    try ring.remove(.idToken, kid: try #require(known.keyID))
    #expect(ring.generation > generation)
    #expect(refusal(ring, old, at: start) == .invalidToken)
    #expect(refusal(ring, fresh, at: start) == nil)
    #expect(!ring.isKeyValid(of: known))
    #expect(ring.certificates(.idToken).count == 1)
  }

  @Test("A removed signing key has a successor at once")
  func removeSigning() throws {
    let ring = try folder.ring()
    let lost = ring.list(.idToken)[0].kid
    let old = try token(ring, at: start)
    try ring.remove(.idToken, kid: lost)
    #expect(states(ring) == [.signing] && ring.list(.idToken)[0].kid != lost)
    #expect(refusal(ring, old, at: start) == .invalidToken)
    #expect(refusal(ring, try token(ring, at: start), at: start) == nil)
    // When a next key is published, that key signs.
    let next = try ring.rotate(.idToken, nowSeconds: start)
    #expect(next.state == .next)
    try ring.remove(.idToken, kid: ring.list(.idToken)[1].kid)
    #expect(ring.list(.idToken).map(\.kid) == [next.kid] && states(ring) == [.signing])
    for kid in ["", "nobody", lost] {
      #expect(throws: KeyStoreError.unknownKey(path: ring.snapshot.store.directory)) {
        try ring.remove(.idToken, kid: kid)
      }
    }
  }

  @Test("A key that an operator rotates to is published first, and signs after an hour")
  func staged() throws {
    let ring = try folder.ring()
    let old = ring.list(.sessionCookie)[0].kid
    let next = try ring.rotate(.sessionCookie, nowSeconds: start)
    #expect(states(ring, .sessionCookie) == [.next, .signing])
    #expect(try ring.rotate(.sessionCookie, nowSeconds: start + 10) == next, "twice is once")
    #expect(states(ring) == [.signing], "the other kind is left alone")
    ring.rotateIfDue(nowSeconds: start + 3_599)
    #expect(states(ring, .sessionCookie) == [.next, .signing])
    ring.rotateIfDue(nowSeconds: start + 3_600)
    #expect(ring.list(.sessionCookie).map(\.kid) == [next.kid, old])
    #expect(states(ring, .sessionCookie) == [.signing, .retired])
  }

  @Test("An urgent rotation signs with an entirely new key")
  func urgent() throws {
    let ring = try folder.ring()
    let old = ring.list(.idToken)[0].kid
    let announced = try ring.rotate(.idToken, nowSeconds: start).kid
    let urgent = try ring.rotate(.idToken, nowSeconds: start + 10, isUrgent: true)
    #expect(urgent.state == .signing && urgent.kid != announced)
    #expect(ring.list(.idToken).map(\.kid) == [urgent.kid, old])
  }

  @Test("Files with invalid times are not changed", arguments: [Int64.min, -1, 1 << 53, .max])
  func noTime(seconds: Int64) throws {
    let ring = try folder.ring()
    #expect(ring.rotateIfDue(nowSeconds: seconds) == .success(false))
    for isUrgent in [false, true] { try ring.rotate(.idToken, nowSeconds: seconds, isUrgent: isUrgent) }
    #expect(ring.list(.idToken).map(\.kid) == [TokenForge.keys.signingKeyID])
    #expect(throws: Never.self) { try folder.ring() }
  }

  @Test("Clock steps cause no early rotation and no trap", arguments: [Int64.min, -1, 1_699_920_000])
  func clockStep(seconds: Int64) throws {
    let ring = try folder.ring()
    ring.rotateIfDue(nowSeconds: start)
    let before = ring.list(.idToken)
    #expect(ring.rotateIfDue(nowSeconds: seconds) == .success(false))
    #expect(ring.list(.idToken) == before)
  }

  @Test("A clock that is years ahead for a moment does not stop later rotations")
  func clockAhead() throws {
    let ring = try folder.ring()
    let first = ring.list(.idToken)[0].kid
    ring.rotateIfDue(nowSeconds: start)
    ring.rotateIfDue(nowSeconds: start + 3_000 * day)
    #expect(states(ring) == [.next, .signing], "announced in the year 2031")
    let second = ring.list(.idToken)[0].kid
    #expect(ring.rotateIfDue(nowSeconds: start + 60) == .success(true))
    #expect(ring.list(.idToken)[0].stateSinceSeconds == start + 60)
    ring.rotateIfDue(nowSeconds: start + 3_660)
    #expect(ring.list(.idToken).map(\.kid) == [second, first])
    #expect(states(ring) == [.signing, .retired])
    ring.rotateIfDue(nowSeconds: start + 3_660 + 30 * day)
    #expect(states(ring).first == .next, "and so on, month by month")
  }

  @Test("With a clock that began in 1970 no retired key is forgotten")
  func clockBehind() throws {
    let ring = try folder.ring()
    ring.rotateIfDue(nowSeconds: start)
    let old = try token(ring, at: start)
    try ring.rotate(.idToken, nowSeconds: start, isUrgent: true)
    ring.rotateIfDue(nowSeconds: 0)
    ring.rotateIfDue(nowSeconds: start + 60)
    #expect(refusal(ring, old, at: start + 60) == nil)
  }

  @Test("After any number of rotations there are few keys, and one signs")
  func bounded() throws {
    var keys = TokenForge.keys
    for round in 0..<3 {
      keys = try keys.rotated(isUrgent: true, nowSeconds: start + Int64(round), random: .system)
    }
    let many = (0..<40).map { index in
      SigningKeys.Entry(
        id: Digest(sha256: "\(index)".utf8).hex.prefix(40).description, key: TokenForge.key, privatePEM: [],
        state: index == 0 ? .signing : .retired, createdAtSeconds: start, sinceSeconds: start)
    }
    #expect(SigningKeys(entries: many) == nil)
    let full = try #require(SigningKeys(entries: Array(many.prefix(TokenLimits.signingKeysMax))))
    let rotated = try full.rotated(isUrgent: true, nowSeconds: start, random: .system)
    #expect(rotated.entries.count == TokenLimits.signingKeysMax)
    #expect(rotated.entries.map(\.state) == [.signing] + Array(repeating: .retired, count: rotated.entries.count - 1))
    #expect(keys.entries.count == 4)
  }

  @Test("States and dates are the same after a restart, and another process's ring reads them")
  func files() throws {
    let ring = try folder.ring()
    let other = try folder.ring()
    try ring.rotate(.idToken, nowSeconds: start)
    #expect(try folder.ring().list(.idToken) == ring.list(.idToken))
    #expect(states(other) == [.signing])
    let generation = other.generation
    try other.reload()
    #expect(other.list(.idToken) == ring.list(.idToken))
    #expect(other.generation == generation + 1)
    try other.reload()
    #expect(other.generation == generation + 1, "nothing new")
  }

  @Test("Changes by two processes do not undo each other")
  func twoWriters() throws {
    let one = try folder.ring()
    let two = try folder.ring()
    let next = try one.rotate(.idToken, nowSeconds: start)
    #expect(try two.rotate(.idToken, nowSeconds: start + 3_600).kid == next.kid, "promotes what the other announced")
    #expect(states(two) == [.signing, .retired])
    try one.reload()
    #expect(one.list(.idToken) == two.list(.idToken))
  }

  @Test("Files of the first release: the first key signs, the others are retired")
  func firstRelease() throws {
    let text = [TokenForge.keys, TokenForge.otherKeys].map { keys in
      "kid: \(keys.signingKeyID)\n" + String(decoding: keys.signing.privatePEM, as: UTF8.self)
    }.joined()
    let keys = try #require(SigningKeys(text: text))
    #expect(keys.entries.map(\.state) == [.signing, .retired])
    #expect(SigningKeys(text: keys.text)?.entries.map(\.info) == keys.entries.map(\.info))
  }

  @Test(
    "A file with invalid fields counts as damaged",
    arguments: [
      "state: resting\n", "state: retired\n", "state: next\n", "created: x\n", "created: -1\n", "since: 1e9\n",
      "created: 9007199254740992\n", "state: signing\nstate: signing\n", "colour: red\n", "kid: again\n", "state\n",
    ])
  func damagedFields(fields: String) {
    let pem = String(decoding: TokenForge.keys.signing.privatePEM, as: UTF8.self)
    let head = "kid: \(TokenForge.keys.signingKeyID)\n"
    #expect(SigningKeys(text: head + pem) != nil)
    #expect(SigningKeys(text: head + fields + pem) == nil)
  }

  @Test("Legacy secrets rotate; a removed one neither authenticates nor signs")
  func legacySecrets() throws {
    let ring = try folder.ring()
    let old = ring.legacySecrets.active[0]
    let session = try ring.mintLegacySession(
      uid: "a", data: [], sessionID: "s", issuedAtSeconds: start, expiresAtSeconds: start + 100)
    let credential = try ring.verifier.verify(session, nowSeconds: start)
    #expect(throws: KeyStoreError.self) { try ring.removeLegacySecret(0) }
    try ring.rotateLegacySecret()
    #expect(ring.legacySecrets.active.count == 2 && ring.legacySecrets.active[1] == old)
    #expect(refusal(ring, session, at: start) == nil)
    #expect(refusal(ring, old, at: start) == nil)
    for index in [-1, 2, Int.max, Int.min] {
      #expect(throws: KeyStoreError.self) { try ring.removeLegacySecret(index) }
    }
    try ring.removeLegacySecret(1)
    #expect(refusal(ring, session, at: start) == .invalidToken)
    #expect(refusal(ring, old, at: start) == .invalidToken)
    #expect(!ring.isKeyValid(of: credential))
    #expect(refusal(ring, ring.legacySecrets.active[0], at: start) == nil)
  }

  @Test("Minted access tokens stay valid over rotations; a replaced admin token does not")
  func adminTokens() throws {
    let ring = try folder.ring()
    let minted = try ring.adminTokens.mint(nowSeconds: start, random: .system)
    let permanent = ring.snapshot.store.adminToken
    try ring.rotate(.idToken, nowSeconds: start, isUrgent: true)
    try ring.rotateLegacySecret()
    for token in [minted, permanent] {
      #expect(try ring.verifier.verify(token, nowSeconds: start).authority.bypassesRules)
    }
    folder.write(try AdminTokens.generate(random: .system) + "\n", to: "admin-token")
    try ring.reload()
    #expect(refusal(ring, permanent, at: start) == .invalidToken)
    #expect(refusal(ring, ring.snapshot.store.adminToken, at: start) == nil)
    #expect(refusal(ring, minted, at: start) == nil)
  }

  @Test("A rotation that cannot be written has no effect")
  func unwritable() throws {
    let ring = try folder.ring()
    let before = ring.list(.idToken)
    folder.write("damaged", to: "id-token-keys.pem")
    #expect(throws: KeyStoreError.self) { try ring.rotate(.idToken, nowSeconds: start, isUrgent: true) }
    guard case .failure(let error) = ring.rotateIfDue(nowSeconds: start) else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .damaged)
    #expect(ring.list(.idToken) == before)
    #expect(refusal(ring, try token(ring, at: start), at: start) == nil)
  }

  @Test("Many threads verify and mint while keys rotate")
  func threads() async throws {
    let ring = try folder.ring()
    let start = start
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<40 {
            guard let token = try? token(ring, at: start) else {
              Issue.record("not minted")
              return
            }
            #expect(refusal(ring, token, at: start) == nil)
          }
        }
      }
      group.addTask {
        for _ in 0..<3 { _ = try? ring.rotate(.idToken, nowSeconds: start, isUrgent: true) }
      }
    }
    #expect(states(ring) == [.signing, .retired, .retired, .retired])
  }
}
