import HearthCrypto
import HearthJournal
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts

/// Tests of users and their unique identifiers.
@Suite struct UserStoreTests {
  private let fixture = AccountsFixture()

  @Test("a user is found by uid, address, phone and identity, and by nothing else")
  func lookups() async throws {
    let store = try fixture.store()
    var user = fixture.user("u/1", email: "a@example.com")
    user.phoneNumber = "+15550100"
    user.identities = [ProviderIdentity(providerID: "google.com", rawID: "7")]
    try await store.transact { [user] (accounts) throws(AccountError) in try accounts.insert(user) }
    let view = store.view
    #expect(view.user("u/1") == user)
    #expect(view.user(email: "a@example.com") == user)
    #expect(view.user(phone: "+15550100") == user)
    #expect(view.user(providerID: "google.com", rawID: "7") == user)
    #expect(view.user("u") == nil)
    #expect(view.user(email: "b@example.com") == nil)
    #expect(view.user(providerID: "google.co", rawID: "m7") == nil)
    #expect(view.userCount == 1)
    #expect(view.problems() == [])
    store.close()
  }

  @Test("an address known from another provider finds every account that has it, and belongs to none")
  func identityEmails() async throws {
    let store = try fixture.store()
    func user(_ uid: String, _ provider: String, _ email: String?) -> UserRecord {
      var user = fixture.user(uid)
      user.identities = [ProviderIdentity(providerID: provider, rawID: uid)]
      user.identities[0].email = email
      return user
    }
    func found(_ email: String, limit: Int = 10) -> [String] {
      store.view.users(identityEmail: email, limit: limit).map(\.uid)
    }
    let (first, second) = (user("u/1", "google.com", "a@example.com"), user("u2", "github.com", "a@example.com"))
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.insert(first)
      try accounts.insert(second)
    }
    #expect(Set(found("a@example.com")) == ["u/1", "u2"] && found("a@example.com", limit: 1).count == 1)
    #expect(found("b@example.com") == [] && store.view.user(email: "a@example.com") == nil)
    let moved = user("u2", "github.com", "b@example.com")
    try await store.transact { (accounts) throws(AccountError) in try accounts.update(moved) }
    #expect(found("a@example.com") == ["u/1"] && found("b@example.com") == ["u2"])
    #expect(store.view.problems() == [])
    // Users stored by an earlier version have no such entry until the record changes; leftover entries have no effect.
    try await store.transact { (accounts) throws(AccountError) in
      accounts.draft.replace(AccountPath.identityEmails, with: .empty)
      accounts.draft.replace(AccountPath.identityEmail("c@example.com").appending("gone"), with: Node(.string("gone")))
      accounts.draft.replace(AccountPath.identityEmail("c@example.com").appending("u2"), with: Node(.string("u2")))
    }
    #expect(found("b@example.com") == [] && found("c@example.com") == [])
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.update(moved)
      accounts.draft.replace(AccountPath.identityEmail("c@example.com"), with: .empty)
    }
    #expect(found("b@example.com") == ["u2"])
    try await store.transact { (accounts) throws(AccountError) in accounts.delete("u2") }
    #expect(found("b@example.com") == [])
    store.close()
  }

  @Test("an identifier of another account is refused with its code, and the refusal changes nothing")
  func conflicts() async throws {
    let store = try fixture.store()
    var first = fixture.user("u1", email: "a@example.com")
    first.phoneNumber = "+1"
    first.identities = [ProviderIdentity(providerID: "google.com", rawID: "7")]
    try await store.transact { [first] (accounts) throws(AccountError) in
      try accounts.insert(first)
      try accounts.insert(fixture.user("u2", email: "b@example.com"))
    }
    let before = store.view.records.root
    var second = fixture.user("u3", email: "a@example.com")
    await store.expect(.emailExists) { [second] a throws(AccountError) in try a.insert(second) }
    second.email = nil
    second.phoneNumber = "+1"
    await store.expect(.phoneNumberExists) { [second] a throws(AccountError) in try a.insert(second) }
    second.phoneNumber = nil
    second.identities = first.identities
    await store.expect(.federatedUserAlreadyLinked) { [second] a throws(AccountError) in try a.insert(second) }
    second = fixture.user("u1")
    await store.expect(.duplicateLocalID) { [second] a throws(AccountError) in try a.insert(second) }
    second = fixture.user("u2", email: "a@example.com")
    await store.expect(.emailExists) { [second] a throws(AccountError) in try a.update(second, as: [.administered]) }
    second = fixture.user("u9")
    await store.expect(.userNotFound) { [second] a throws(AccountError) in try a.update(second) }
    #expect(store.view.records.root == before)
    store.close()
  }

  @Test("a change of address, phone or identities frees the former ones")
  func changes() async throws {
    let store = try fixture.store()
    var user = fixture.user("u1", email: "a@example.com")
    user.phoneNumber = "+1"
    user.identities = [ProviderIdentity(providerID: "x", rawID: "1"), ProviderIdentity(providerID: "x", rawID: "2")]
    try await store.transact { [user] (accounts) throws(AccountError) in try accounts.insert(user) }
    user.email = "b@example.com"
    user.phoneNumber = nil
    user.identities.removeFirst()
    try await store.transact { [user] (accounts) throws(AccountError) in
      try accounts.update(user, as: [.administered])
      try accounts.insert(fixture.user("u2", email: "a@example.com"))
    }
    user.initialEmail = "a@example.com"
    let view = store.view
    #expect(view.user(email: "a@example.com")?.uid == "u2")
    #expect(view.user(email: "b@example.com")?.uid == "u1")
    #expect(view.user(phone: "+1") == nil)
    #expect(view.user(providerID: "x", rawID: "1") == nil)
    #expect(view.user(providerID: "x", rawID: "2") == user)
    #expect(view.problems() == [])
    store.close()
  }

  @Test(
    "Security 33: a reused uid is valid only for tokens after those of every earlier account; duplicates are refused"
  )
  func uidsComeBack() async throws {
    var journal = MemoryJournal()
    var store = try fixture.store(journal)
    var borders: [TokenCutoff] = []
    for round in 0..<3 {
      try await store.transact { (accounts) throws(AccountError) in try accounts.insert(fixture.user("u1")) }
      await store.expect(.duplicateLocalID) { a throws(AccountError) in try a.insert(fixture.user("u1")) }
      borders.append(try #require(store.view.user("u1")?.cutoff))
      try await store.transact { (accounts) throws(AccountError) in
        guard var user = accounts.user("u1") else { throw AccountError(.userNotFound) }
        for _ in 0..<round { accounts.endTokens(of: &user) }
        try accounts.update(user)
        accounts.delete("u1")
      }
      let last = try #require(store.view.tombstone("u1"))
      #expect(last.generation > borders[round].generation + Int64(round))
      #expect(last.seconds == fixture.nowSeconds + 1)
      journal = journal.crash()
      store = try fixture.store(journal)
      #expect(store.view.tombstone("u1") == last && store.view.tombstone("u2") == nil)
    }
    #expect(borders.map(\.generation) == borders.map(\.generation).sorted() && borders[0] == .first)
    #expect(Set(borders.map(\.generation)).count == 3)
    store.close()
  }

  @Test("A uid with an unreadable record is reused with a later cutoff than the record could hold")
  func unreadable() async throws {
    let store = try fixture.store()
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.insert(fixture.user("u1"))
      accounts.draft.replace(AccountPath.user("u1"), with: Node(.string("{")))
    }
    var last: Int64 = 1_000_000
    for _ in 0..<2 {
      try await store.transact { (accounts) throws(AccountError) in
        accounts.delete("u1")
        try accounts.insert(fixture.user("u1"))
      }
      let cutoff = try #require(store.view.user("u1")?.cutoff)
      #expect(cutoff.generation > last)
      last = cutoff.generation
      try await store.transact { (accounts) throws(AccountError) in
        accounts.draft.replace(AccountPath.user("u1"), with: Node(.int(1)))
      }
    }
    // Nor does an unreadable record of a deleted user.
    try await store.transact { (accounts) throws(AccountError) in
      accounts.draft.replace(AccountPath.deleted("u2"), with: Node(.string("{")))
      try accounts.insert(fixture.user("u2"))
    }
    #expect(try #require(store.view.user("u2")).cutoff.generation > 1_000_000)
    store.close()
  }

  @Test("After all accounts are deleted, a reused uid is past the tokens of each of them")
  func reuseAfterAllAreDeleted() async throws {
    let store = try fixture.store()
    try await store.transact { (accounts) throws(AccountError) in
      for uid in ["u1", "u2"] { try accounts.insert(fixture.user(uid)) }
      guard var user = accounts.user("u1") else { throw AccountError(.userNotFound) }
      for _ in 0..<3 { accounts.endTokens(of: &user) }
      try accounts.update(user)
    }
    let cutoff = try #require(store.view.user("u1")?.cutoff)
    try await store.transact { (accounts) throws(AccountError) in
      accounts.deleteAllUsers()
      try accounts.insert(fixture.user("u1"))
    }
    #expect(try #require(store.view.user("u1")).cutoff.generation > cutoff.generation)
    store.close()
  }

  @Test("Records of the previous version stay valid: their tokens expire by the second of the first revocation")
  func versionBefore() async throws {
    let store = try fixture.store()
    let now = fixture.nowSeconds
    let record = #"{"uid":"u1","createdAt":5,"validSince":\#(now - 10)}"#
    try await store.transact { (accounts) throws(AccountError) in
      accounts.draft.replace(AccountPath.user("u1"), with: Node(.string(record)))
      accounts.draft.replace(AccountPath.deleted("u2"), with: Node(.int(now - 100)))
    }
    let cutoff = try #require(store.view.user("u1")?.cutoff)
    #expect(cutoff == TokenCutoff(generation: 0, seconds: now - 10))
    #expect(cutoff.admits(generation: nil, issuedAtSeconds: now - 10))
    #expect(!cutoff.admits(generation: nil, issuedAtSeconds: now - 11))
    #expect(cutoff.admits(generation: 0, issuedAtSeconds: 1) && !cutoff.admits(generation: 1, issuedAtSeconds: now))
    // The previous version issued tokens with times up to 30 seconds ahead of its clock.
    #expect(store.view.tombstone("u2") == TokenCutoff(generation: 0, seconds: now - 69))
    try await store.transact { (accounts) throws(AccountError) in
      guard var user = accounts.user("u1") else { throw AccountError(.userNotFound) }
      accounts.endTokens(of: &user)
      try accounts.update(user)
      try accounts.insert(fixture.user("u2"))
    }
    let ended = try #require(store.view.user("u1")?.cutoff)
    #expect(ended == TokenCutoff(generation: 1, seconds: now + 1))
    #expect(!ended.admits(generation: nil, issuedAtSeconds: now) && !ended.admits(generation: 0, issuedAtSeconds: now))
    #expect(store.view.user("u2")?.cutoff == TokenCutoff(generation: 1, seconds: now - 69))
    store.close()
  }

  @Test("deleting a user deletes their address, identities, sessions and codes, and keeps the audit trail")
  func deletion() async throws {
    let store = try fixture.store()
    var user = fixture.user("u1", email: "a@example.com")
    user.phoneNumber = "+1"
    user.identities = [ProviderIdentity(providerID: "x", rawID: "1")]
    try await store.transact { [user] (accounts) throws(AccountError) in
      try accounts.insert(user)
      try accounts.insert(fixture.user("u2"))
      for i in 0..<3 {
        var session = fixture.session("u1")
        session.expiresAtSeconds = i == 0 ? fixture.nowSeconds + 100 : nil
        accounts.putSession(.of("s\(i)"), session)
        accounts.putTicket(.of("t\(i)"), fixture.ticket(uid: "u1", email: "a@example.com"))
      }
      accounts.putSession(.of("other"), fixture.session("u2"))
      accounts.audit(AuditEvent(.signUp, uid: "u1", email: "a@example.com", client: fixture.client()))
    }
    try await store.transact { (accounts) throws(AccountError) in
      accounts.delete("u1")
      accounts.delete("nobody")
      accounts.audit(AuditEvent(.userDeleted, uid: "u1", client: fixture.client()))
    }
    let view = store.view
    #expect(view.user("u1") == nil && view.user(email: "a@example.com") == nil)
    #expect((0..<3).allSatisfy { view.session(.of("s\($0)")) == nil && view.ticket(.of("t\($0)")) == nil })
    #expect(view.session(.of("other")) != nil)
    #expect(view.tombstone("nobody") == nil)
    #expect(view.auditTail(limit: 9).count == 2)
    #expect(view.problems() == [])
    // Only the tombstone contains the user ID.
    let text = String(
      decoding: view.records.root.replacing(AccountPath.audit, with: .empty).json(.export), as: UTF8.self)
    #expect(!text.contains("a@example") && !text.contains("+1"))
    store.close()
  }

  @Test("invalid uids and addresses are refused")
  func impossible() async throws {
    let store = try fixture.store()
    let long = String(repeating: "🙂", count: 65)
    for uid in ["", long, String(repeating: "x", count: 129)] {
      await store.expect(.invalidArgument) { a throws(AccountError) in try a.insert(fixture.user(uid)) }
    }
    for email in ["A@example.com", "a", "e\u{301}@example.com"] {
      await store.expect(.invalidEmail) { a throws(AccountError) in try a.insert(fixture.user("u", email: email)) }
    }
    var large = fixture.user("u")
    large.photoURL = String(repeating: "x", count: 300_000)
    await store.expect(.invalidArgument) { [large] a throws(AccountError) in try a.insert(large) }
    let longest = String(repeating: "€", count: 128)
    await store.expect(nil) { a throws(AccountError) in try a.insert(fixture.user(longest)) }
    #expect(store.view.user(longest)?.uid == longest)
    store.close()
  }

  @Test("canonically equivalent uids are two users")
  func unicodeUIDs() async throws {
    let store = try fixture.store()
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.insert(fixture.user("é"))
      try accounts.insert(fixture.user("e\u{301}"))
    }
    #expect(store.view.userCount == 2)
    try await store.transact { (accounts) throws(AccountError) in accounts.delete("é") }
    #expect(store.view.user("e\u{301}") != nil && store.view.tombstone("e\u{301}") == nil)
    store.close()
  }

  @Test("pages of users come in order, without gaps, repetitions or an early end")
  func pages() async throws {
    let store = try fixture.store()
    let uids = (0..<57).map { "u\($0)" } + ["a.b", "9", "10", "%", "é"]
    try await store.transact { (accounts) throws(AccountError) in
      for uid in uids { try accounts.insert(fixture.user(uid)) }
      accounts.draft.replace(AccountPath.user("u20"), with: Node(.string("{")))
      accounts.draft.replace(AccountPath.user("u21"), with: Node(.int(7)))
    }
    var found: [String] = []
    while true {
      let page = store.view.users(after: found.last, limit: 10)
      found += page.map(\.uid)
      guard page.count == 10 else { break }
    }
    #expect(Set(found) == Set(uids).subtracting(["u20", "u21"]))
    #expect(found.count == uids.count - 2)
    store.close()
  }

  @Test("an emulator deletes all users, and their uids are free again")
  func deleteAllUsers() async throws {
    let store = try fixture.store()
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.insert(fixture.user("u1", email: "a@example.com"))
      accounts.putSession(.of("s"), fixture.session("u1"))
      accounts.putTicket(.of("t"), fixture.ticket(uid: nil, email: "b@example.com"))
      accounts.delete("u1")
      try accounts.insert(fixture.user("u2", email: "a@example.com"))
    }
    try await store.transact { (accounts) throws(AccountError) in accounts.deleteAllUsers() }
    let left = Set(store.view.records.root.children.map { $0.key.text })
    #expect(left == ["generationFloor", "latest"], "nothing of anybody")
    await store.expect(nil) { a throws(AccountError) in try a.insert(fixture.user("u1")) }
    store.close()
  }
}
