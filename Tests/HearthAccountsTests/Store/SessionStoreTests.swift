import HearthBytes
import HearthCrypto
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts

/// Tests of sessions, tickets and locks: records that expire. Sessions and tickets are found by the hash of a random
/// text.
@Suite struct SessionStoreTests {
  private let fixture = AccountsFixture()

  private func store(_ limits: AccountStoreLimits = AccountStoreLimits()) async throws -> AccountStore {
    let store = try fixture.store(limits: limits)
    try await store.transact { (accounts) throws(AccountError) in
      for uid in ["u1", "u2"] { try accounts.insert(fixture.user(uid)) }
    }
    return store
  }

  @Test("sessions of a user are ended one by one, by family, or all but one")
  func sessions() async throws {
    let store = try await store()
    try await store.transact { (accounts) throws(AccountError) in
      for (name, family) in [("a", "f1"), ("b", "f1"), ("c", "f2"), ("d", "f3"), ("e", "f4")] {
        accounts.putSession(.of(name), fixture.session("u1", family: family))
      }
      accounts.putSession(.of("x"), fixture.session("u2"))
    }
    #expect(store.view.sessions(of: "u1").count == 5)
    try await store.transact { (accounts) throws(AccountError) in
      accounts.removeFamily("f1", of: "u1")
      accounts.removeSession(.of("c"))
      accounts.removeSession(.of("nothing"))
    }
    #expect(Set(store.view.sessions(of: "u1").map(\.hash)) == [.of("d"), .of("e")])
    #expect(store.view.session(.of("d"))?.family == "f3")
    try await store.transact { (accounts) throws(AccountError) in accounts.removeSessions(of: "u1", except: .of("e")) }
    #expect(store.view.sessions(of: "u1").map(\.hash) == [.of("e")])
    try await store.transact { (accounts) throws(AccountError) in accounts.removeSessions(of: "u1") }
    #expect(store.view.sessions(of: "u1").isEmpty)
    #expect(store.view.sessions(of: "u2").count == 1)
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test("the least recently used session makes room, never the newest")
  func sessionLimit() async throws {
    var limits = AccountStoreLimits()
    limits.sessionsPerUserMax = 3
    let store = try await store(limits)
    for i in 0..<3 {
      try await store.transact { (accounts) throws(AccountError) in
        accounts.putSession(.of("s\(i)"), fixture.session("u1"))
      }
      fixture.advance(seconds: 10)
    }
    try await store.transact { (accounts) throws(AccountError) in
      var used = fixture.session("u1")
      used.lastUsedAtSeconds = fixture.nowSeconds
      accounts.putSession(.of("s0"), used)
      accounts.putSession(.of("s3"), fixture.session("u1"))
    }
    #expect(Set(store.view.sessions(of: "u1").map(\.hash)) == [.of("s0"), .of("s2"), .of("s3")])
    try await store.transact { (accounts) throws(AccountError) in
      var early = fixture.session("u1")
      early.lastUsedAtSeconds = 0
      accounts.putSession(.of("early"), early)
    }
    #expect(store.view.session(.of("early")) != nil)
    #expect(store.view.sessions(of: "u1").count == 3)
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test("tickets are found and removed by user and purpose; those without a user are found by e-mail address")
  func tickets() async throws {
    let store = try await store()
    try await store.transact { (accounts) throws(AccountError) in
      accounts.putTicket(.of("r"), fixture.ticket(.resetPassword, uid: "u1", email: "a@example.com"))
      accounts.putTicket(.of("v"), fixture.ticket(.verifyEmail, uid: "u1", email: "a@example.com"))
      accounts.putTicket(.of("e"), fixture.ticket(.emailSignIn, uid: nil, email: "new@example.com"))
      accounts.putTicket(.of("f"), fixture.ticket(.pendingIdentity, uid: nil))
    }
    #expect(store.view.tickets(of: "u1").count == 2)
    #expect(store.view.tickets(email: "new@example.com").map(\.hash) == [.of("e")])
    #expect(store.view.tickets(email: "a@example.com").isEmpty)
    #expect(store.view.allTickets(limit: 3).count == 3)
    try await store.transact { (accounts) throws(AccountError) in
      accounts.removeTickets(of: "u1", purposes: [.resetPassword, .emailSignIn])
    }
    #expect(store.view.tickets(of: "u1").map(\.ticket.purpose) == [.verifyEmail])
    try await store.transact { (accounts) throws(AccountError) in accounts.removeTickets(of: "u1") }
    #expect(store.view.allTickets(limit: 9).count == 2)
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test("tickets are bounded per user or e-mail address, and in total; the oldest are dropped first")
  func ticketLimits() async throws {
    var limits = AccountStoreLimits()
    limits.ticketsPerOwnerMax = 2
    limits.ticketsMax = 6
    let store = try await store(limits)
    for i in 0..<20 {
      fixture.advance(seconds: 1)
      try await store.transact { (accounts) throws(AccountError) in
        accounts.putTicket(.of("u\(i)"), fixture.ticket(uid: "u1"))
        accounts.putTicket(.of("e\(i)"), fixture.ticket(.emailSignIn, uid: nil, email: "same@example.com"))
        accounts.putTicket(.of("o\(i)"), fixture.ticket(.emailSignIn, uid: nil, email: "m\(i)@example.com"))
      }
      #expect(store.view.allTickets(limit: 99).count <= 6)
    }
    #expect(Set(store.view.tickets(of: "u1").map(\.hash)) == [.of("u18"), .of("u19")])
    #expect(Set(store.view.tickets(email: "same@example.com").map(\.hash)) == [.of("e18"), .of("e19")])
    #expect(store.view.ticket(.of("o19")) != nil && store.view.ticket(.of("o17")) == nil)
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test(
    "a code that reverts a change is not evicted by newer tickets",
    arguments: [Ticket.Purpose.recoverEmail, .revertSecondFactor, .revertChange])
  func recoveryCodesStay(_ kept: Ticket.Purpose) async throws {
    var limits = AccountStoreLimits()
    limits.ticketsPerOwnerMax = 2
    let store = try await store(limits)
    for (name, purpose) in [("r", kept), ("a", .verifyEmail), ("b", .verifyEmail)] {
      fixture.advance(seconds: 1)
      try await store.transact { (accounts) throws(AccountError) in
        accounts.putTicket(.of(name), fixture.ticket(purpose, uid: "u1"))
      }
    }
    #expect(Set(store.view.tickets(of: "u1").map(\.hash)) == [.of("r"), .of("b")])
    // Of several such codes the first is kept: it restores the state before all of an attacker's changes.
    for name in ["r2", "r3"] {
      fixture.advance(seconds: 1)
      try await store.transact { (accounts) throws(AccountError) in
        accounts.putTicket(.of(name), fixture.ticket(kept, uid: "u1"))
      }
    }
    #expect(Set(store.view.tickets(of: "u1").map(\.hash)) == [.of("r"), .of("r3")])
    store.close()
  }

  @Test("saving a ticket again replaces it: its failed attempts are counted")
  func failedAttempts() async throws {
    let store = try await store()
    for _ in 0..<3 {
      try await store.transact { (accounts) throws(AccountError) in
        var ticket = accounts.ticket(.of("t")) ?? fixture.ticket(uid: "u1")
        ticket.failedAttempts += 1
        accounts.putTicket(.of("t"), ticket)
      }
    }
    #expect(store.view.tickets(of: "u1").map(\.ticket.failedAttempts) == [3])
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test("expired records are removed in small batches, within transactions that make changes")
  func sweeping() async throws {
    var limits = AccountStoreLimits()
    limits.ticketKeptSeconds = 10
    limits.ticketsPerOwnerMax = 100
    let store = try await store(limits)
    try await store.transact { (accounts) throws(AccountError) in
      for i in 0..<20 {
        accounts.putTicket(.of("t\(i)"), fixture.ticket(uid: "u1", lifetimeSeconds: 100))
        var session = fixture.session("u1")
        session.expiresAtSeconds = fixture.nowSeconds + 100
        accounts.putSession(.of("s\(i)"), session)
      }
      accounts.putSession(.of("endless"), fixture.session("u1"))
      accounts.setLock("l", AccountLock(failures: 11, lockedUntilSeconds: 0, lastFailureSeconds: fixture.nowSeconds))
    }
    fixture.advance(seconds: 105)
    // The import key stands for any change of the accounts.
    try await store.transact { (accounts) throws(AccountError) in accounts.putImportKey("k", "1") }
    #expect(store.view.sessions(of: "u1").count == 13)
    #expect(store.view.tickets(of: "u1").count == 20, "kept for a while, so that their holders can be told")
    fixture.advance(seconds: 5)
    try await store.transact { (accounts) throws(AccountError) in _ = accounts.user("u1") }
    #expect(store.view.tickets(of: "u1").count == 20)
    for i in 0..<3 {
      try await store.transact { (accounts) throws(AccountError) in accounts.putImportKey("k", "\(i)") }
    }
    #expect(store.view.tickets(of: "u1").isEmpty)
    #expect(store.view.sessions(of: "u1").map(\.hash) == [.of("endless")])
    #expect(store.view.locks.count == 1)
    fixture.advance(seconds: 43_200)
    try await store.transact { (accounts) throws(AccountError) in accounts.putImportKey("k", "0") }
    #expect(store.view.locks.isEmpty)
    #expect(store.view.problems(limits: limits) == [])
    store.close()
  }

  @Test("an extended session is not swept at its former expiry")
  func extendedSession() async throws {
    let store = try await store()
    for end in [100, 1_000] {
      try await store.transact { (accounts) throws(AccountError) in
        var session = fixture.session("u1")
        session.expiresAtSeconds = AccountsFixture.startSeconds + Int64(end)
        accounts.putSession(.of("s"), session)
        // A leftover entry, as after a change of limits.
        accounts.setExpiry(.sessions, AccountsFixture.startSeconds + 50, .of("s"))
      }
    }
    fixture.advance(seconds: 500)
    try await store.transact { (accounts) throws(AccountError) in accounts.putImportKey("k", "1") }
    #expect(store.view.session(.of("s")) != nil)
    #expect(store.view.problems() == [])
    store.close()
  }

  @Test("locks survive a restart, can be removed, and are bounded in number")
  func locks() async throws {
    let journal = MemoryJournal()
    var limits = AccountStoreLimits()
    limits.locksMax = 5
    let store = try fixture.store(journal, limits: limits)
    let lock = AccountLock(failures: 12, lockedUntilSeconds: 9_999_999_999, lastFailureSeconds: 5)
    store.saveLock("first", lock)
    for i in 0..<8 {
      store.saveLock(
        "l\(i)", AccountLock(failures: 11, lockedUntilSeconds: 2_000_000_000 + Int64(i), lastFailureSeconds: 0))
    }
    store.saveLock("l7", nil)
    // A transaction completes after the locks that were saved before it.
    try await store.transact { (accounts) throws(AccountError) in _ = accounts.locks }
    let again = try fixture.store(journal.crash(), limits: limits)
    #expect(Set(again.view.locks.keys) == ["first", "l4", "l5", "l6"])
    #expect(again.view.locks["first"] == lock)
    #expect(again.view.problems() == [])
    again.close()
  }

  @Test("Security 23: only the hash of a refresh token is stored, never its text")
  func tokensAreNotStored() async throws {
    let journal = MemoryJournal()
    let store = try fixture.store(journal)
    let token = Base64URL.encode(try fixture.random.bytes(32))
    try await store.transact { (accounts) throws(AccountError) in
      try accounts.insert(fixture.user("u1"))
      accounts.putSession(.of(token), fixture.session("u1"))
      accounts.putTicket(.of(token), fixture.ticket(uid: "u1"))
      accounts.audit(AuditEvent(.signIn, uid: "u1", client: fixture.client()))
    }
    let stored = journal.storedBatches.map { String(decoding: $0.payload, as: UTF8.self) }.joined()
    #expect(stored.contains(Digest.of(token).hex))
    #expect(!stored.contains(token))
    #expect(store.view.session(.of(token))?.uid == "u1")
    store.close()
  }
}
