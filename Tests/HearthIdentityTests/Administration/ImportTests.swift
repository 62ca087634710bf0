import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct ImportTests {
  /// The project parameters that Firebase's own scrypt library publishes.
  private static let firebase = #"""
    "hashAlgorithm": "SCRYPT", "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14,
    "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
    """#

  /// A user of `firebase auth:export`, with the published hash of `user1password`.
  private static let exported = #"""
    {"localId": "u1", "email": "user1@example.com", "emailVerified": true, "displayName": "User One",
     "passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
     "salt": "42xEC+ixf3L2lw==", "createdAt": "1700000000000", "lastSignedInAt": "1700000001000",
     "phoneNumber": "+15550001", "customAttributes": "{\"role\":\"ed\"}",
     "providerUserInfo": [{"providerId": "password", "rawId": "user1@example.com"},
       {"providerId": "google.com", "rawId": "g1", "email": "user1@gmail.com", "displayName": "U", "photoUrl": "http://p"}]}
    """#

  @Test("a user exported from Firebase signs in with the old password, which is then hashed anew")
  func firebaseUser() async throws {
    let fixture = try AdminFixture()
    let answer = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call("{\(Self.firebase), \"users\": [\(Self.exported)]}"))
    #expect(answer["kind"] == .string("identitytoolkit#UploadAccountResponse"))
    #expect(answer["error"] == nil)
    let user = try #require(fixture.user("u1"))
    #expect(user.createdAtMilliseconds == 1_700_000_000_000)
    #expect(user.lastSignInAtMilliseconds == 1_700_000_001_000)
    #expect(user.identities.map(\.rawID) == ["g1"])
    #expect(user.customAttributes == #"{"role":"ed"}"#)
    let imported = try #require(user.password?.hash)
    #expect(!imported.hasPrefix("$scrypt$"))
    #expect(try await !fixture.canSignIn("user1@example.com", "wrong-password"))
    #expect(fixture.user("u1")?.password?.hash == imported)
    #expect(try await fixture.canSignIn("user1@example.com", "user1password"))
    #expect(fixture.user("u1")?.password?.hash.hasPrefix("$scrypt$") == true)
    #expect(fixture.user("u1")?.validSinceSeconds == user.validSinceSeconds)
    #expect(try await fixture.canSignIn("user1@example.com", "user1password"))
  }

  @Test("an account whose password another service holds is imported and exported as such")
  func passwordElsewhere() async throws {
    let fixture = try AdminFixture()
    let user = #"{"localId": "u1", "email": "ann@example.com", "hearth": {"passwordHash": "$elsewhere$"}}"#
    let answer = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(#"{"users": [\#(user), {"localId": "u2", "hearth": {"passwordHash": "$elsewhere$"}}]}"#))
    #expect(answer["error"]?.array?.count == 1)
    #expect(fixture.user("u1")?.password?.isElsewhere == true && fixture.user("u2") == nil)
    let exported = try await ExportEndpoints(accounts: fixture.accounts).export(fixture.call("{}"))
    #expect(exported["users"]?.array?.first?["hearth"]?["passwordHash"] == .string(StoredPassword.elsewhereHash))
    #expect(try await !fixture.canSignIn("ann@example.com", StoredPassword.elsewhereHash))
  }

  @Test("the signer key of an import is stored once, sealed, and in no user's record")
  func signerKey() async throws {
    let fixture = try AdminFixture()
    let second = Self.exported.replacing("u1", with: "u2").replacing("user1@", with: "user2@")
      .replacing("+15550001", with: "+15550002").replacing("g1", with: "g2")
    _ = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call("{\(Self.firebase), \"users\": [\(Self.exported)]}"))
    _ = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call("{\(Self.firebase), \"users\": [\(second)]}"))
    let hashes = ["u1", "u2"].compactMap { fixture.user($0)?.password?.hash }
    let ids = hashes.compactMap { ImportedHash.parts(of: $0)?.parameters.signerKeyID }
    #expect(ids.count == 2 && Set(ids).count == 1)
    let sealed = try #require(fixture.accounts.store.view.importKey(ids[0]))
    #expect(!sealed.contains("jxspr8Ki") && hashes.allSatisfy { !$0.contains("jxspr8Ki") })
  }

  @Test(
    "hashes that could not be verified are refused with a reason, the others are imported",
    arguments: [
      (#""hashAlgorithm": "BCRYPT""#, "e30="),
      (#""hashAlgorithm": "SHA256", "rounds": 7"#, "uI01eEasl+esOs45DDOed06Ax0DcKtjGukrvHCERiwQ="),
      (
        #""hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1073741824, "blockSize": 8, "parallelization": 1, "dkLen": 32"#,
        "uI01eEasl+esOs45DDOed06Ax0DcKtjGukrvHCERiwQ="
      ),
      (#""hashAlgorithm": "MD5""#, "not base64!"),
    ])
  func badHash(_ parameters: String, _ hash: String) async throws {
    let fixture = try AdminFixture()
    let bad = #"{"localId": "bad", "passwordHash": "\#(hash)", "salt": "TmFDbA=="}"#
    let answer = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(#"{\#(parameters), "users": [\#(bad), {"localId": "good"}]}"#))
    let errors = try #require(answer["error"]?.array)
    #expect(errors.count == 1 && errors[0]["index"] == .int(0))
    #expect(errors[0]["message"]?.string?.isEmpty == false)
    #expect(errors[0]["message"]?.string?.contains(hash) == false)
    #expect(fixture.user("bad") == nil && fixture.user("good") != nil)
  }

  @Test(
    "a batch that is invalid as a whole is refused as a whole",
    arguments: [
      (#"{}"#, "MISSING_USER_ACCOUNT"), (#"{"users": []}"#, "MISSING_USER_ACCOUNT"),
      (#"{"users": [{"localId": "a"}], "hashAlgorithm": "ROT13"}"#, "INVALID_HASH_ALGORITHM"),
      (#"{"users": [{"localId": "a"}], "hashAlgorithm": "HMAC_SHA256"}"#, "MISSING_HASH_PARAMETERS"),
      (#"{"users": [{"localId": "a"}, {"localId": "a"}]}"#, "DUPLICATE_LOCAL_ID"),
      (
        #"{"users": [{"email": "x@example.com", "localId": "a"}, {"email": "X@example.com"}], "sanityCheck": true}"#,
        "DUPLICATE_EMAIL"
      ),
      (
        #"""
        {"users": [{"localId": "a", "providerUserInfo": [{"providerId": "google.com", "rawId": "1"}]},
          {"localId": "b", "providerUserInfo": [{"providerId": "google.com", "rawId": "1"}]}], "sanityCheck": true}
        """#,
        "DUPLICATE_RAW_ID"
      ),
    ])
  func badBatch(_ body: String, _ code: String) async throws {
    let fixture = try AdminFixture()
    let message = try await fixture.refusal {
      try await ImportEndpoints(accounts: fixture.accounts).create(fixture.call(body))
    }
    #expect(message?.split(separator: " ").first.map(String.init) == code)
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("Security 33: invalid users are listed by index, and the others are imported")
  func listedErrors() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com"}"#)
    let answer = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(
        #"""
        {"users": [{"localId": "bob"}, {"email": "x@example.com"}, {"localId": "c", "email": "nowhere"}, 7,
          {"localId": "d", "email": "BOB@example.com"}, {"localId": "e", "phoneNumber": "123"}, {"localId": "f"},
          {"localId": "g", "passwordHash": "AAAA"}, {"localId": "h", "tenantId": "t"},
          {"localId": "i", "providerUserInfo": [{"providerId": "google.com"}]}, {"localId": "a\u0000b"}]}
        """#))
    #expect(answer["error"]?.array?.map { $0["index"] } == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10].map { .int($0) })
    #expect(fixture.accounts.store.view.users(limit: 10).map(\.uid) == ["bob", "f"])
    #expect(fixture.user("bob")?.email == "bob@example.com")
  }

  @Test("errors of imported users have Firebase's messages")
  func words() async throws {
    let fixture = try AdminFixture()
    let wrong: [(user: String, words: String)] = [
      (#"{"email": "x@example.com"}"#, "localId is missing"),
      (#"{"localId": "a", "tenantId": "t"}"#, "Tenant id in userInfo does not match the tenant id in request."),
      (#"{"localId": "b", "email": "not#an$email"}"#, "email is invalid"),
      (#"{"localId": "c", "phoneNumber": "no"}"#, "phone number format is invalid"),
      (#"{"localId": "d", "customAttributes": "no"}"#, "Invalid custom claims provided."),
      (#"{"localId": "e", "customAttributes": "{\"sub\":\"1\"}"}"#, "Custom claims provided include a reserved claim."),
      (
        #"{"localId": "f", "providerUserInfo": [{"providerId": "google.com"}]}"#,
        "federatedId or (providerId & rawId) is required"
      ),
      (
        #"{"localId": "g", "providerUserInfo": [{"federatedId": "x"}]}"#,
        "federatedId alone does not identify the user; give providerId and rawId"
      ),
      (
        #"{"localId": "h", "mfaInfo": [{"phoneInfo": "+15555550100"}]}"#,
        "Second factor account requires email to be presented."
      ),
      (
        #"{"localId": "i", "email": "i@example.com", "emailVerified": true, "mfaInfo": [{"totpInfo": {}}]}"#,
        "totpInfo.sharedSecretKey of mfaInfo is missing"
      ),
    ]
    let users = wrong.map(\.user).joined(separator: ", ")
    let answer = try await ImportEndpoints(accounts: fixture.accounts).create(fixture.call("{\"users\": [\(users)]}"))
    #expect(answer["error"]?.array?.map { $0["message"] } == wrong.map { .string($0.words) })
  }

  @Test(
    "rounds out of range refuse the whole request, and so do missing rounds, except for MD5",
    arguments: [
      ("SHA256", 8_193), ("SHA1", 0), ("SHA512", -1), ("MD5", 8_193), ("PBKDF2_SHA256", 120_001), ("PBKDF_SHA1", 0),
      ("PBKDF2_SHA256", 0), ("SHA1", nil), ("SHA256", nil), ("SHA512", nil), ("PBKDF_SHA1", nil),
      ("PBKDF2_SHA256", nil),
    ] as [(String, Int?)])
  func rounds(_ algorithm: String, _ rounds: Int?) async throws {
    let fixture = try AdminFixture()
    let member = rounds.map { #""rounds": \#($0), "# } ?? ""
    let body = #"{"hashAlgorithm": "\#(algorithm)", \#(member)"users": [{"localId": "a"}]}"#
    let refusal = try await fixture.refusal {
      try await ImportEndpoints(accounts: fixture.accounts).create(fixture.call(body))
    }
    #expect(refusal?.hasPrefix("INVALID_HASH_ROUNDS") == true)
    #expect(fixture.user("a") == nil)
    let md5 = #"{"hashAlgorithm": "MD5", "users": [{"localId": "a"}]}"#
    #expect(try await ImportEndpoints(accounts: fixture.accounts).create(fixture.call(md5))["error"] == nil)
  }

  @Test("the initial address is that of the export, and missing without one")
  func initialAddress() async throws {
    let fixture = try AdminFixture()
    _ = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(
        #"{"users": [{"localId": "a", "email": "a@example.com"}, {"localId": "b", "email": "b@example.com", "initialEmail": "B0@example.com"}]}"#
      ))
    #expect(fixture.user("a")?.initialEmail == nil && fixture.user("b")?.initialEmail == "b0@example.com")
  }

  @Test("an overwritten account keeps no members of the former one, and its tokens end")
  func overwrite() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
    let token = try await fixture.idToken("bob")
    let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
    fixture.accountsFixture.advance(seconds: 1)
    let answer = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(
        #"{"users": [{"localId": "bob", "email": "new@example.com", "validSince": "1"}], "allowOverwrite": true}"#))
    #expect(answer["error"] == nil)
    #expect(fixture.user("bob")?.email == "new@example.com" && fixture.user("bob")?.password == nil)
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended)
    #expect(fixture.revocations == [.user(uid: "bob")])
    #expect(fixture.accounts.store.view.user(email: "bob@example.com") == nil)
  }

  @Test(
    "a session from the second of an overwriting import is ended, and a disabled account is reported as disabled")
  func overwriteAtOnce() async throws {
    let fixture = try AdminFixture()
    for uid in ["bob", "eve"] {
      _ = try await fixture.create(#"{"localId": "\#(uid)", "email": "\#(uid)@example.com", "password": "secret1"}"#)
    }
    let token = try await fixture.idToken("bob")
    let credential = try fixture.accounts.keys.verifyIDToken(token, nowSeconds: fixture.accountsFixture.nowSeconds)
    _ = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(#"{"users": [{"localId": "bob"}, {"localId": "eve", "disabled": true}], "allowOverwrite": true}"#))
    #expect(fixture.accounts.sessions.revocations.standing(of: credential) == .ended)
    #expect(fixture.accounts.store.view.sessions(of: "bob").isEmpty)
    #expect(fixture.revocations == [.user(uid: "bob"), .user(uid: "eve")])
  }

  @Test("clear-text passwords are hashed, within the password policy")
  func rawPasswords() async throws {
    let fixture = try AdminFixture()
    let answer = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call(
        #"""
        {"users": [{"localId": "a", "email": "a@example.com", "rawPassword": "secret1"},
          {"localId": "b", "email": "b@example.com", "rawPassword": "short"}]}
        """#))
    #expect(answer["error"]?.array?.map { $0["index"] } == [.int(1)])
    #expect(try await fixture.canSignIn("a@example.com", "secret1"))
  }

  @Test("an export that is imported into another server is the same: hashes, keys, factors and all")
  func roundTrip() async throws {
    let fixture = try AdminFixture()
    _ = try await ImportEndpoints(accounts: fixture.accounts).create(
      fixture.call("{\(Self.firebase), \"users\": [\(Self.exported)]}"))
    _ = try await fixture.create(
      #"""
      {"localId": "nat", "email": "nat@example.com", "password": "secret1", "displayName": "N", "photoUrl": "http://n",
       "mfaInfo": [{"mfaEnrollmentId": "t", "displayName": "phone",
           "totpInfo": {"sharedSecretKey": "JBSWY3DPEHPK3PXPJBSWY3DP"}}, {"mfaEnrollmentId": "p", "phoneInfo": "+15550009"}]}
      """#)
    _ = try await fixture.update(
      #"{"localId": "nat", "email": "nat2@example.com", "disableUser": true, "customAttributes": "{\"a\":1}"}"#)
    _ = try await fixture.create(#"{"localId": "é\u0301𝄞", "lastLoginAt": 5}"#)
    let anonymous = try await fixture.accounts.signIn.anonymous.newUser(
      uid: "anon", client: fixture.accountsFixture.client(), now: fixture.accountsFixture.now)
    _ = try await fixture.accounts.sessions.admission.create(anonymous, client: fixture.accountsFixture.client())
    let other = try AdminFixture(seed: 2, keys: AdminFixture.newKeys())
    other.accountsFixture.advance(seconds: 60)
    var token: String?
    repeat {
      let next = token.map { ", \"nextPageToken\": \(String(decoding: JSON.string($0).text(), as: UTF8.self))" } ?? ""
      let page = try await fixture.administrate("users:export", "{\"maxResults\": 2\(next)}")
      token = page["nextPageToken"]?.string
      let users = String(decoding: (page["users"] ?? .array([])).text(), as: UTF8.self)
      let answer = try await ImportEndpoints(accounts: other.accounts).create(other.call("{\"users\": \(users)}"))
      #expect(answer["error"] == nil)
    } while token != nil
    let (left, right) = (fixture.accounts.store.view.users(limit: 99), other.accounts.store.view.users(limit: 99))
    #expect(left.count == 4)
    #expect(left.map(Self.withoutSeals) == right.map(Self.withoutSeals))
    let secrets = [(fixture, left), (other, right)].map { fixture, users in
      users.flatMap(\.factors).compactMap { factor -> [UInt8]? in
        guard case .totp(let sealed, _) = factor.kind else { return nil }
        return fixture.accounts.keys.unseal(sealed)
      }
    }
    #expect(secrets[0] == secrets[1] && secrets[0].count == 1)
    #expect(try await other.canSignIn("user1@example.com", "user1password"))
    _ = try await other.update(#"{"localId": "nat", "disableUser": false}"#)
    #expect(try await other.canSignIn("nat2@example.com", "secret1"))
    let events = fixture.accounts.store.view.audit(limit: 99).compactMap { $0.fields["event"]?.string }
    #expect(events.filter { $0 == "users_export" }.count == 2)
  }

  /// Returns a user without sealed secrets, because another server seals the same secret differently.
  private static func withoutSeals(_ user: UserRecord) -> UserRecord {
    var user = user
    // The token cutoff is the importing server's own.
    user.cutoff = .first
    for index in user.factors.indices {
      guard case .totp = user.factors[index].kind else { continue }
      user.factors[index].kind = .totp(sealedSecret: "", lastAcceptedStep: 0)
    }
    return user
  }

  @Test("only an export contains password hashes")
  func hashesStay() async throws {
    let fixture = try AdminFixture()
    _ = try await fixture.create(#"{"localId": "bob", "email": "bob@example.com", "password": "secret1"}"#)
    let hash = try #require(fixture.user("bob")?.password?.hash)
    let answers = [
      try await fixture.lookup(#"{"localId": ["bob"]}"#),
      try await BatchEndpoints(accounts: fixture.accounts).get(fixture.call("{}")),
      try await BatchEndpoints(accounts: fixture.accounts).query(fixture.call("{}")),
      try await fixture.update(#"{"localId": "bob"}"#),
    ]
    let part = String(hash.suffix(20))
    for answer in answers { #expect(!String(decoding: answer.text(), as: UTF8.self).contains(part)) }
    let export = try await fixture.administrate("users:export")
    #expect(export["users"]?.array?.first?["hearth"]?["passwordHash"] == .string(hash))
  }
}
