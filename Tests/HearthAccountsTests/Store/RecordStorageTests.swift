import HearthCrypto
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthAccounts

/// Tests that stored records are read unchanged, and that unreadable ones are reported and do no harm.
@Suite struct RecordStorageTests {
  private let fixture = AccountsFixture()

  /// Stores a record as text and reads it again.
  private func copy<Record: StoredRecord>(_ record: Record) throws -> Record {
    let text = RecordWriter(record).json.text()
    return try Record(stored: RecordReader(try #require(JSON(parsing: text))))
  }

  static let texts = ["", " ", "a\u{0}b", "line\nbreak", "é", "e\u{301}", "🙂", "\u{202E}x", #""\/{}"#, "\u{FFFF}"]

  @Test("every field of a user is stored and read again", arguments: texts)
  func users(text: String) throws {
    var user = UserRecord(uid: text, createdAtMilliseconds: .max)
    #expect(try copy(user) == user)
    user.email = text
    user.isEmailVerified = true
    user.initialEmail = text
    user.displayName = text
    user.photoURL = text
    user.phoneNumber = text
    user.password = StoredPassword(hash: text, updatedAtMilliseconds: -1)
    var identity = ProviderIdentity(providerID: text, rawID: text)
    user.identities = [identity]
    identity.email = text
    identity.displayName = text
    identity.photoURL = text
    identity.screenName = text
    user.identities.append(identity)
    user.isDisabled = true
    user.isCustomAuth = true
    user.customAttributes = text
    user.lastSignInAtMilliseconds = 1
    user.lastRefreshAtMilliseconds = 2
    user.validSinceSeconds = .min
    user.cutoff = TokenCutoff(generation: 7, seconds: .max)
    user.factors = [
      SecondFactor(
        id: text, kind: .totp(sealedSecret: text, lastAcceptedStep: 3), displayName: text, enrolledAtMilliseconds: 4),
      SecondFactor(id: "2", kind: .phone(text), displayName: nil, enrolledAtMilliseconds: 5),
    ]
    var passkey = Passkey(id: text, name: text, publicKey: text, userHandle: text, enrolledAtMilliseconds: 6)
    user.passkeys = [passkey]
    passkey.signCount = Int64(UInt32.max)
    passkey.isUserVerified = true
    passkey.isBackupEligible = true
    passkey.isBackedUp = true
    passkey.transports = ["internal", "hybrid"]
    passkey.lastUsedAtMilliseconds = 7
    user.passkeys.append(passkey)
    user.hasTemporaryPassword = true
    user.hasEmailLink = true
    let found = try copy(user)
    #expect(found == user)
    #expect(found.displayName.map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test("records of earlier versions imply sign-in by mailed link where no other method is possible")
  func emailLinks() throws {
    var user = UserRecord(uid: "u", createdAtMilliseconds: 1)
    #expect(try old(user).hasEmailLink == false)
    user.email = "a@b.example"
    #expect(try old(user).hasEmailLink)
    #expect(try copy(user).hasEmailLink == false)
    user.isCustomAuth = true
    #expect(try old(user).hasEmailLink == false)
    user.isCustomAuth = false
    user.password = StoredPassword(hash: "x", updatedAtMilliseconds: 1)
    #expect(try old(user).hasEmailLink == false)
  }

  /// Returns the record in its former format.
  private func old(_ user: UserRecord) throws -> UserRecord {
    let members = RecordWriter(user).json.members?.filter { $0.name != "emailLink" } ?? []
    return try UserRecord(stored: RecordReader(.object(members)))
  }

  @Test("every field of a session, a ticket, a service account and a lock is stored and read again", arguments: texts)
  func others(text: String) throws {
    var session = fixture.session(text, family: text)
    #expect(try copy(session) == session)
    session.signInProvider = text
    session.lastUsedAtSeconds = 9
    session.userGeneration = 3
    session.claims = text
    session.secondFactor = text
    session.isUserVerified = true
    session.generation = 3
    session.replacedAtSeconds = 4
    session.isLegacy = true
    session.expiresAtSeconds = 5
    session.clientAddress = text
    session.userAgent = text
    #expect(try copy(session) == session)
    for purpose in Ticket.Purpose.allCases {
      var ticket = fixture.ticket(purpose, uid: text, email: text)
      ticket.newEmail = text
      ticket.failedAttempts = 2
      ticket.details = text
      #expect(try copy(ticket) == ticket)
    }
    #expect(try copy(fixture.ticket(uid: nil)) == fixture.ticket(uid: nil))
    var account = ServiceAccount(email: text, name: text, publicKeys: [:], createdAtMilliseconds: 1)
    #expect(try copy(account) == account)
    account.isDisabled = true
    account.publicKeys = ["b": text, "a": "x"]
    #expect(try copy(account) == account)
    let lock = AccountLock(failures: 1, lockedUntilSeconds: 2, lastFailureSeconds: 3)
    #expect(try copy(lock) == lock)
  }

  @Test("texts have distinct keys, and most can be restored from them")
  func keys() {
    let texts = Self.texts + ["%", "%%", "%25", ".", "a.b", "a/b", "a%2fb", "$#[]", String(repeating: ".", count: 500)]
    let keys = texts.map { AccountPath.key($0) }
    #expect(Set(keys).count == texts.count)
    #expect(keys.allSatisfy { $0.problem == nil })
    for (text, key) in zip(texts.dropLast(), keys) {
      #expect(AccountPath.text(key).map { Array($0.utf8) } == Array(text.utf8))
    }
    #expect(AccountPath.text(keys[texts.count - 1]) == nil)
    for broken in ["%2", "a%", "%zz", "%2F"] { #expect(AccountPath.text(Key(broken)) == nil) }
  }

  @Test("two identities with the same concatenated parts are distinct")
  func identityKeys() {
    #expect(AccountPath.identity("ab", "c") != AccountPath.identity("a", "bc"))
    #expect(AccountPath.identity("1", "1:x") != AccountPath.identity("1:1", "x"))
  }

  static let damages = [
    "", "{", "[]", "null", "{}", #"{"uid":7}"#, #"{"uid":"u1","createdAt":"1","validSince":1}"#,
    #"{"uid":"u1","createdAt":1.5,"validSince":1}"#, #"{"uid":"u1","createdAt":1,"validSince":1,"identities":[1]}"#,
    #"{"uid":"u1","createdAt":1,"validSince":1,"factors":[{"id":"1","kind":"sms","enrolledAt":1}]}"#,
    #"{"uid":"u1","createdAt":1,"validSince":1,"disabled":"yes"}"#,
    #"{"uid":"u1","createdAt":1,"validSince":1,"password":{}}"#,
  ]

  @Test(
    "a damaged user is reported once, counts as absent, keeps its names taken, and can be deleted", arguments: damages)
  func damagedUser(text: String) async throws {
    let store = try fixture.store()
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.insert(fixture.user("u1", email: "a@example.com"))
      accounts.putSession(.of("s"), fixture.session("u1"))
      accounts.draft.replace(AccountPath.user("u1"), with: Node(.string(text)))
    }
    for _ in 0..<3 {
      #expect(store.view.user("u1") == nil && store.view.user(email: "a@example.com") == nil)
    }
    #expect(store.view.users(limit: 9).isEmpty)
    #expect(fixture.notices.map(\.level) == [.error])
    #expect(fixture.notices.allSatisfy { $0.text.contains("/users/u1") && !$0.text.contains("a@") })
    let codes = try await store.transact { (accounts) throws(AccountError) in
      var codes: [AccountError.Code] = []
      for user in [fixture.user("u1"), fixture.user("u2", email: "a@example.com")] {
        do throws(AccountError) { try accounts.insert(user) } catch { codes.append(error.code) }
      }
      do throws(AccountError) { try accounts.update(fixture.user("u1")) } catch { codes.append(error.code) }
      return codes
    }
    #expect(codes == [.duplicateLocalID, .emailExists, .userNotFound])
    try await store.transact { (accounts) throws(AccountError) in
      accounts.delete("u1")
      try accounts.insert(fixture.user("u2", email: "a@example.com"))
    }
    #expect(store.view.user(email: "a@example.com")?.uid == "u2")
    #expect(store.view.tombstone("u1") != nil && store.view.session(.of("s")) == nil)
    store.close()
  }

  @Test("random changes of stored bytes never trap, in any later operation", arguments: 0..<UInt64(4))
  func fuzz(seed: UInt64) async throws {
    let store = try fixture.store()
    let uids = ["u1", "u2", "u3"]
    for round in 0..<60 {
      try await store.transact { (accounts) throws(AccountError) in
        var random = SeededRandom(seed: seed &* 1_000 &+ UInt64(round))
        accounts.deleteAllUsers()
        for uid in uids {
          var user = fixture.user(uid, email: "\(uid)@example.com")
          user.identities = [ProviderIdentity(providerID: "x", rawID: uid)]
          try accounts.insert(user)
          accounts.putSession(.of(uid), fixture.session(uid))
          accounts.putTicket(.of(uid), fixture.ticket(uid: uid))
        }
        accounts.setLock("l", AccountLock(failures: 1, lockedUntilSeconds: 2, lastFailureSeconds: 3))
        accounts.audit(AuditEvent(.signUp, uid: "u1", client: fixture.client()))
        for _ in 0..<6 { accounts.damage(&random) }
        for uid in uids {
          _ = (accounts.user(uid), accounts.user(email: "\(uid)@example.com"), accounts.sessions(of: uid))
          _ = (accounts.tickets(of: uid), accounts.user(providerID: "x", rawID: uid), accounts.locks)
          do throws(AccountError) { try accounts.update(fixture.user(uid, email: "n@example.com")) } catch { continue }
          accounts.putSession(.of("n"), fixture.session(uid))
          accounts.putTicket(.of("n"), fixture.ticket(uid: uid))
          accounts.removeFamily("f1", of: uid)
          accounts.removeTickets(of: uid, purposes: [.verifyEmail])
          accounts.audit(AuditEvent(.revoked, uid: uid, client: fixture.client()))
          if random.isOne(in: 2) { accounts.delete(uid) }
        }
        _ = AuditTrailVerifier.verify(AccountView(records: accounts.records))
        accounts.draft.replace(AccountPath.audit, with: .empty)
        accounts.draft.replace(AccountPath.auditHead, with: .empty)
      }
      fixture.advance(seconds: 500)
    }
    store.close()
  }
}

extension AccountTransaction {
  /// Changes or removes a random leaf.
  fileprivate mutating func damage(_ random: inout SeededRandom) {
    var path = Path.root
    var node = draft.root
    while node.isInterior {
      let child = Array(node.children)[random.below(node.childCount)]
      path = path.appending(child.key)
      node = child.node
    }
    guard case .string(let text)? = node.scalar, !random.isOne(in: 4) else {
      return draft.replace(path, with: random.isOne(in: 2) ? .empty : Node(.double(1.5)))
    }
    var bytes = Array(text.utf8)
    for _ in 0..<3 where !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
    if random.isOne(in: 3) { bytes.removeLast(random.below(bytes.count + 1)) }
    draft.replace(path, with: Node(.string(String(decoding: bytes, as: UTF8.self))))
  }
}
