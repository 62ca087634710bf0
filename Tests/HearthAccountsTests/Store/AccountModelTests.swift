import HearthCrypto
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthAccounts

/// Tests of thousands of random changes against a simple model, with restarts in between.
@Suite struct AccountModelTests {
  /// A model of the accounts in memory.
  fileprivate struct Model: Sendable {
    var users: [String: UserRecord] = [:]
    /// The highest generation of a deleted account's uid.
    var deleted: [String: Int64] = [:]
    var sessions: [Digest: SessionRecord] = [:]
    var tickets: [Digest: Ticket] = [:]

    func refusal(of user: UserRecord, isNew: Bool) -> AccountError.Code? {
      if isNew, users[user.uid] != nil { return .duplicateLocalID }
      if !isNew, users[user.uid] == nil { return .userNotFound }
      let others = users.values.filter { $0.uid != user.uid }
      if let email = user.email, others.contains(where: { $0.email == email }) { return .emailExists }
      if let number = user.phoneNumber, others.contains(where: { $0.phoneNumber == number }) {
        return .phoneNumberExists
      }
      let isLinked = others.contains { other in other.identities.contains { user.identities.contains($0) } }
      return isLinked ? .federatedUserAlreadyLinked : nil
    }

    mutating func delete(_ uid: String) {
      guard let user = users.removeValue(forKey: uid) else { return }
      deleted[uid] = user.cutoff.generation + 1
      sessions = sessions.filter { $0.value.uid != uid }
      tickets = tickets.filter { $0.value.uid != uid }
    }
  }

  fileprivate enum Step: Sendable {
    case insert(UserRecord)
    case update(UserRecord)
    case delete(String)
    case putSession(Digest, SessionRecord)
    case removeSession(Digest)
    case removeSessions(String, except: Digest)
    case removeFamily(String, of: String)
    case putTicket(Digest, Ticket)
    case removeTicket(Digest)
    case removeTickets(String, Set<Ticket.Purpose>)
  }

  @Test("the store agrees with the model, also after every restart", arguments: 0..<UInt64(4))
  func model(seed: UInt64) async throws {
    let fixture = AccountsFixture()
    var random = SeededRandom(seed: seed)
    var journal = MemoryJournal()
    var store = try fixture.store(journal)
    var model = Model()
    for round in 0..<400 {
      let steps = (0..<1 + random.below(3)).map { _ in step(&random, fixture) }
      let code = model.perform(steps)
      let found = await perform(steps, store)
      #expect(found == code, "round \(round): \(steps)")
      if round % 40 == 39 {
        journal = journal.crash()
        store = try fixture.store(journal)
        try compare(store.view, model)
      }
      fixture.advance(seconds: Int64(random.below(3)))
    }
    try compare(store.view, model)
    store.close()
  }

  private func perform(_ steps: [Step], _ store: AccountStore) async -> AccountError.Code? {
    do throws(AccountError) {
      try await store.transact { (accounts) throws(AccountError) in
        for step in steps { try Self.perform(step, &accounts) }
      }
      return nil
    } catch {
      return error.code
    }
  }

  private static func perform(_ step: Step, _ accounts: inout AccountTransaction) throws(AccountError) {
    switch step {
    case .insert(let user): try accounts.insert(user)
    case .update(let user): try accounts.update(user, as: [.administered])
    case .delete(let uid): accounts.delete(uid)
    case .putSession(let hash, let session): accounts.putSession(hash, session)
    case .removeSession(let hash): accounts.removeSession(hash)
    case .removeSessions(let uid, let kept): accounts.removeSessions(of: uid, except: kept)
    case .removeFamily(let family, let uid): accounts.removeFamily(family, of: uid)
    case .putTicket(let hash, let ticket): accounts.putTicket(hash, ticket)
    case .removeTicket(let hash): accounts.removeTicket(hash)
    case .removeTickets(let uid, let purposes): accounts.removeTickets(of: uid, purposes: purposes)
    }
  }

  private func step(_ random: inout SeededRandom, _ fixture: AccountsFixture) -> Step {
    let uid = "u\(random.below(12))"
    let hash = Digest.of("h\(random.below(30))")
    switch random.below(12) {
    case 0..<3: return .insert(user(uid, &random, fixture))
    case 3..<6: return .update(user(uid, &random, fixture))
    case 6: return random.isOne(in: 3) ? .delete(uid) : .removeSession(hash)
    case 7, 8:
      var session = fixture.session("u\(random.below(3))", family: "f\(random.below(4))")
      if random.isOne(in: 2) { session.expiresAtSeconds = fixture.nowSeconds + 1_000_000 }
      return .putSession(hash, session)
    case 9:
      return random.isOne(in: 2) ? .removeFamily("f\(random.below(4))", of: uid) : .removeSessions(uid, except: hash)
    case 10:
      let owner = random.isOne(in: 3) ? nil : uid
      return .putTicket(hash, fixture.ticket(random.pick(Ticket.Purpose.allCases), uid: owner, email: "x@x"))
    default:
      return random.isOne(in: 2)
        ? .removeTicket(hash) : .removeTickets(uid, Set(Ticket.Purpose.allCases.filter { _ in random.isOne(in: 2) }))
    }
  }

  private func user(_ uid: String, _ random: inout SeededRandom, _ fixture: AccountsFixture) -> UserRecord {
    var user = fixture.user(uid)
    if random.isOne(in: 2) { user.email = "e\(random.below(8))@example.com" }
    if random.isOne(in: 3) { user.phoneNumber = "+\(random.below(6))" }
    for raw in 0..<4 where random.isOne(in: 4) {
      user.identities.append(ProviderIdentity(providerID: "p\(random.below(2))", rawID: "\(raw)"))
    }
    return user
  }

  private func compare(_ view: AccountView, _ model: Model) throws {
    var users = Dictionary(uniqueKeysWithValues: view.users(limit: .max).map { ($0.uid, $0) })
    // The model has no clock.
    for uid in users.keys { users[uid]?.cutoff.seconds = 0 }
    #expect(users == model.users)
    for i in 0..<12 { #expect(view.tombstone("u\(i)")?.generation == model.deleted["u\(i)"]) }
    for i in 0..<30 {
      let hash = Digest.of("h\(i)")
      #expect(view.session(hash) == model.sessions[hash])
      #expect(view.ticket(hash) == model.tickets[hash])
    }
    for i in 0..<8 {
      let email = "e\(i)@example.com"
      #expect(view.user(email: email)?.uid == model.users.values.first { $0.email == email }?.uid)
    }
    // The steps create sessions of missing users themselves.
    let problems = view.problems().filter { !$0.hasSuffix("is nobody's") }
    #expect(problems == [])
  }
}

extension AccountModelTests.Model {
  /// Performs all steps, or none when one is refused.
  fileprivate mutating func perform(_ steps: [AccountModelTests.Step]) -> AccountError.Code? {
    var next = self
    for step in steps { if let code = next.perform(step) { return code } }
    self = next
    return nil
  }

  private mutating func perform(_ step: AccountModelTests.Step) -> AccountError.Code? {
    switch step {
    case .insert(let user), .update(let user):
      var isNew = false
      if case .insert = step { isNew = true }
      if let code = refusal(of: user, isNew: isNew) { return code }
      let cutoff = isNew ? (deleted[user.uid] ?? 0) + 1 : users[user.uid]?.cutoff.generation ?? 0
      let address = users[user.uid]?.email
      users[user.uid] = user
      if !isNew, let address, user.email != address { users[user.uid]?.initialEmail = user.initialEmail ?? address }
      users[user.uid]?.cutoff = TokenCutoff(generation: cutoff, seconds: 0)
    case .delete(let uid): delete(uid)
    case .putSession(let hash, let session): sessions[hash] = session
    case .removeSession(let hash): sessions[hash] = nil
    case .removeSessions(let uid, let kept): sessions = sessions.filter { $0.value.uid != uid || $0.key == kept }
    case .removeFamily(let family, let uid):
      sessions = sessions.filter { $0.value.uid != uid || $0.value.family != family }
    case .putTicket(let hash, let ticket): tickets[hash] = ticket
    case .removeTicket(let hash): tickets[hash] = nil
    case .removeTickets(let uid, let purposes):
      tickets = tickets.filter { $0.value.uid != uid || !purposes.contains($0.value.purpose) }
    }
    return nil
  }
}
