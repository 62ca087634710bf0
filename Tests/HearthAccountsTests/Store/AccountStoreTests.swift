import HearthCrypto
import HearthJournal
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts

/// Tests of transactions: one writer, atomic, durable when they return.
@Suite struct AccountStoreTests {
  private let fixture = AccountsFixture()

  @Test("a transaction that continues after a refusal keeps its other changes: an import skips refused accounts")
  func partialImport() async throws {
    let store = try fixture.store()
    let taken = try await store.transact { (accounts) throws(AccountError) in
      var taken: [String] = []
      for (uid, email) in [("u1", "a@example.com"), ("u2", "a@example.com"), ("u3", "c@example.com")] {
        do throws(AccountError) {
          try accounts.insert(fixture.user(uid, email: email))
          taken.append(uid)
        } catch { continue }
      }
      return taken
    }
    #expect(taken == ["u1", "u3"])
    #expect(store.view.user(email: "a@example.com")?.uid == "u1")
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test("Security 48: of a hundred sign-ups with one address at the same time exactly one wins")
  func parallelSignUps() async throws {
    let store = try fixture.store()
    let fixture = fixture
    let winners = await withTaskGroup(of: Bool.self) { group in
      for i in 0..<100 {
        group.addTask {
          await store.refusal { a throws(AccountError) in
            try a.insert(fixture.user("u\(i)", email: "same@example.com"))
          } == nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    #expect(store.view.userCount == 1)
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test("Security 35: a code that twenty requests use at once is accepted exactly once")
  func singleUse() async throws {
    let store = try fixture.store()
    let fixture = fixture
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.insert(fixture.user("u1"))
      accounts.putTicket(.of("code"), fixture.ticket(uid: "u1"))
    }
    let uses = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 {
        group.addTask {
          await store.refusal { a throws(AccountError) in
            guard a.ticket(.of("code")) != nil else { throw AccountError(.invalidOOBCode) }
            a.removeTicket(.of("code"))
            var user = a.user("u1")
            user?.validSinceSeconds += 1
            if let user { try a.update(user) }
          } == nil
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(uses == 1)
    #expect(store.view.user("u1")?.validSinceSeconds == AccountsFixture.startSeconds + 1)
    store.close()
  }

  @Test("a transaction that throws is rolled back")
  func throwingBody() async throws {
    let store = try fixture.store()
    let code = await store.refusal { accounts throws(AccountError) in
      try accounts.insert(fixture.user("u1", email: "a@example.com"))
      accounts.audit(AuditEvent(.signUp, uid: "u1", client: fixture.client()))
      throw AccountError(.weakPassword)
    }
    #expect(code == .weakPassword)
    #expect(store.view.records.root.isEmpty)
    store.close()
  }

  @Test("a view does not change with later transactions")
  func stableView() async throws {
    let store = try fixture.store()
    try await store.transact { (accounts) throws(AccountError) in try accounts.insert(fixture.user("u1")) }
    let view = store.view
    try await store.transact { (accounts) throws(AccountError) in accounts.delete("u1") }
    #expect(view.user("u1") != nil && store.view.user("u1") == nil)
    store.close()
  }

  @Test("a failing disk makes changes unavailable; reads continue, and the operator is notified")
  func failingDisk() async throws {
    let journal = MemoryJournal()
    journal.failAppend(2, MemoryJournal.Fault(.inputOutput))
    let store = try fixture.store(journal)
    try await store.transact { (accounts) throws(AccountError) in try accounts.insert(fixture.user("u1")) }
    await store.expect(.outcomeUnknown) { a throws(AccountError) in try a.insert(fixture.user("u2")) }
    await store.expect(.unavailable) { a throws(AccountError) in try a.insert(fixture.user("u3")) }
    #expect(store.status != .running)
    #expect(store.view.users(limit: 9).map(\.uid) == ["u1"])
    #expect(fixture.notices.map(\.level) == [.error])
    store.close()
    await store.expect(.unavailable) { a throws(AccountError) in a.delete("u1") }
  }

  @Test("on a full disk one change waits for room, and the others are refused")
  func fullDisk() async throws {
    let journal = MemoryJournal()
    let store = try fixture.store(journal)
    journal.setFull(true)
    async let waiting: Void = store.transact { (accounts) throws(AccountError) in
      try accounts.insert(fixture.user("u1"))
    }
    while store.status == .running { await Task.yield() }
    await store.expect(.unavailable) { a throws(AccountError) in try a.insert(fixture.user("u2")) }
    #expect(store.view.userCount == 0)
    #expect(fixture.notices.map(\.level) == [.error])
    journal.setFull(false)
    fixture.advance(seconds: 1)
    try await waiting
    while store.status != .running { await Task.yield() }
    #expect(store.view.users(limit: 9).map(\.uid) == ["u1"])
    try await store.transact { (accounts) throws(AccountError) in try accounts.insert(fixture.user("u2")) }
    #expect(fixture.notices.map(\.level) == [.error, .warning])
    store.close()
  }
}
