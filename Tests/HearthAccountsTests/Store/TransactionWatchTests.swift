import HearthDatabase
import HearthEngine
import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts

/// Tests of the decision whether another node may repeat a request that failed on its node.
@Suite struct TransactionWatchTests {
  /// The owner node's treatment of the next change.
  private enum OwnerReaction: Sendable { case made, refused, lost }

  /// Shared accounts of a cluster, with a simulated connection to their owner node.
  private final class SharedAccounts: OwnerConnection {
    private struct State {
      var reactions: [OwnerReaction] = []
      var sessions: UInt64 = 0
      weak var database: Database?
    }

    private let state = Mutex(State())

    func store(in fixture: AccountsFixture) throws -> AccountStore {
      try AccountStore(environment: fixture.environment, projectID: "demo-test") { dependencies in
        let database = Database(
          name: "accounts", following: self, of: MemoryJournal(), from: ReplicationStart(initialRules: .denyAll),
          environment: dependencies, makeSession: nextSession)
        state.withLock { $0.database = database }
        return database
      }
    }

    private func nextSession() -> UInt64 {
      state.withLock { state in
        state.sessions += 1
        return state.sessions
      }
    }

    func prepare(_ reactions: OwnerReaction...) { state.withLock { $0.reactions = reactions } }

    func open(_ session: UInt64) {}
    func close(_ session: UInt64) {}
    func snapshotIsDue() {}

    func send(_ session: UInt64, ticket: UInt64, _ request: OwnerRequest) {
      let (reaction, database) = state.withLock { ($0.reactions.removeFirst(), $0.database) }
      guard let follower = database?.follower, let database, case .transaction(let transaction) = request else {
        return
      }
      guard reaction == .made else {
        return follower.take(reaction == .lost ? .sessionEnded(session) : .answered(ticket: ticket, .refused(nil)))
      }
      let position = database.published.position + 1
      var decider = ChangeDecider(state: database.published)
      let decided = decider.transact(
        transaction, of: session, at: position, Instant(wallMilliseconds: 5, monotonicMilliseconds: 5))
      if let content = decided.content {
        let record = CommitRecord(
          wallMilliseconds: 5,
          content: .joint(
            (try? CommitRecord.decode(content)) ?? [], of: .request(session: session, request: ticket, answered: 0)))
        var payload: [UInt8] = []
        record.append(to: &payload)
        follower.take(.commits(firstPosition: position, lastPosition: position, payload: payload, isOwn: true))
      }
      follower.take(.answered(ticket: ticket, response(for: decided)))
    }

    private func response(for decided: ChangeDecider.Decided) -> OwnerResponse {
      decided.content == nil ? .refused(decided.reply) : .made(decided.reply)
    }
  }

  /// Adds users under a watch.
  ///
  /// - Returns: True when the request may be repeated, and the codes of the failures.
  private func watch(_ store: AccountStore, adding uids: String...) async -> (isSafeToRetry: Bool, [AccountError.Code])
  {
    let (fixture, watch) = (AccountsFixture(), RequestRetryTracker())
    var codes: [AccountError.Code] = []
    for uid in uids {
      let user = fixture.user(uid)
      do {
        try await RequestRetryTracker.$current.withValue(watch) {
          try await store.transact { accounts throws(AccountError) in try accounts.insert(user) }
        }
      } catch {
        codes.append((error as? AccountError)?.code ?? .internalError)
      }
    }
    return (watch.isSafeToRetry, codes)
  }

  @Test func `a request may be repeated when its first change is refused, and not after a change`() async throws {
    let shared = SharedAccounts()
    let store = try shared.store(in: AccountsFixture())
    shared.prepare(.refused)
    var seen = await watch(store, adding: "ann")
    #expect(seen.isSafeToRetry && seen.1 == [.unavailable])
    shared.prepare(.made)
    seen = await watch(store, adding: "ann")
    #expect(!seen.isSafeToRetry && seen.1 == [] && store.view.user("ann") != nil)
    shared.prepare(.made, .refused)
    seen = await watch(store, adding: "bob", "cem")
    #expect(!seen.isSafeToRetry && seen.1 == [.unavailable] && store.view.user("bob") != nil)
    // A refusal by the accounts themselves changes nothing, and a change that may have been made is not repeated.
    shared.prepare(.made, .refused)
    seen = await watch(store, adding: "ann", "dan")
    #expect(seen.isSafeToRetry && seen.1 == [.duplicateLocalID, .unavailable])
    shared.prepare(.lost)
    seen = await watch(store, adding: "dan")
    #expect(!seen.isSafeToRetry && seen.1 == [.outcomeUnknown])
    store.close()
  }

  @Test func `on a single node no request may be repeated`() async throws {
    let store = try AccountsFixture().store()
    store.close()
    let seen = await watch(store, adding: "ann")
    #expect(!seen.isSafeToRetry && seen.1 == [.unavailable])
  }
}
