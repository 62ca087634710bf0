import Dispatch
import HearthCrypto
import HearthEngine
import HearthJournal
import HearthSQLite
import HearthTestKit
import HearthTree
import Synchronization

@testable import HearthAccounts
@testable import HearthDatabase

/// The accounts of a project: users, sessions, tickets, locks and the audit trail, changed by transactions.
final class AccountFiles: SteppedFiles {
  private enum Step: String, CaseIterable {
    case signUp = "sign up"
    case signUpSecond = "sign up, another"
    case address = "change an address"
    case signOut = "end sessions"
    case snapshot
    case signUpThird = "sign up, then"
    case delete
    case serviceAccount = "service account"
    case restart
    case signUpAgain = "sign up again"
    case nothing = "refused by the body"
    case signUpLast = "sign up, last"
  }

  static let steps = Step.allCases.map(\.rawValue)

  private let path: String
  private let fixture = AccountsFixture()
  private var store: AccountStore

  init(folder: String) throws {
    path = folder + "/accounts.sqlite"
    store = try Self.open(path, fixture)
  }

  private static func open(_ path: String, _ fixture: AccountsFixture) throws -> AccountStore {
    let journal = try SQLiteJournal(path: path, options: SQLiteJournal.Options(checkpointBytes: 40_000))
    if let damage = journal.recovery.damages.first(where: { !$0.isUnfinishedCommit }) {
      throw JournalError(.corrupt, "damage is found: \(damage)")
    }
    do {
      return try AccountStore(journals: SingleJournalFactory(journal), environment: fixture.environment, projectID: "p")
    } catch {
      try? journal.close()
      throw error
    }
  }

  func perform(_ step: Int) throws {
    switch Step.allCases[step] {
    case .signUp: try signUp("ann")
    case .signUpSecond: try signUp("bob")
    case .address:
      try transact { accounts throws(AccountError) in
        guard var user = accounts.user("ann") else { throw AccountError(.userNotFound) }
        user.email = "ann@example.org"
        try accounts.update(user, as: [.administered])
      }
    case .signOut: try transact { accounts throws(AccountError) in accounts.removeSessions(of: "bob") }
    case .snapshot: try snapshot()
    case .signUpThird: try signUp("cem")
    case .delete: try transact { accounts throws(AccountError) in accounts.delete("bob") }
    case .serviceAccount:
      try transact { [fixture] accounts throws(AccountError) in
        let (address, now) = ("tool@p.example.com", fixture.now.wallMilliseconds)
        accounts.putServiceAccount(
          ServiceAccount(email: address, name: "tool", publicKeys: [:], createdAtMilliseconds: now))
      }
    case .restart:
      store.close()
      store = try opened { try Self.open(path, fixture) }
    case .signUpAgain: try signUp("bob")
    case .nothing:
      do {
        try transact { accounts throws(AccountError) in
          accounts.removeSessions(of: "ann")
          throw AccountError(.emailExists)
        }
      } catch let failure as StepFailure where failure.outcome == .done {}
    case .signUpLast: try signUp("dora")
    }
  }

  private func signUp(_ name: String) throws {
    try transact { [fixture] accounts throws(AccountError) in
      try accounts.insert(fixture.user(name, email: "\(name)@example.com"))
      accounts.putSession(Digest(sha256: "session of \(name)".utf8), fixture.session(name))
      accounts.putTicket(
        Digest(sha256: "ticket of \(name)".utf8),
        fixture.ticket(.verifyEmail, uid: name, email: "\(name)@example.com"))
      accounts.audit(AuditEvent(.signUp, uid: name, email: "\(name)@example.com", client: fixture.client()))
    }
  }

  /// Waits as a request does, and lets timers fire meanwhile, because a change that finds no room is retried by a
  /// timer.
  private func transact(
    _ body: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Void
  ) throws {
    let (outcome, done) = (TransactionOutcome(), DispatchSemaphore(value: 0))
    Task.detached { [store] in
      do throws(AccountError) {
        try await store.transact(body)
      } catch {
        outcome.error = error
      }
      done.signal()
    }
    while done.wait(timeout: .now() + .milliseconds(1)) == .timedOut { fixture.runScheduled(within: 60_000) }
    guard let error = outcome.error else { return }
    throw StepFailure(outcome: DiskOutcome(error), reason: "\(error)")
  }

  /// Takes a snapshot, as the store's queue does when one is due.
  private func snapshot() throws {
    let database = store.database
    guard database.status == .running else { throw StepFailure(outcome: .stopped, reason: "\(database.status)") }
    guard database.snapshots.schedule.withLock({ $0.begin() }) else { return }
    database.snapshots.queue.sync { database.snapshots.write(database.published) }
  }

  private func opened(_ open: () throws -> AccountStore) throws -> AccountStore {
    do {
      return try open()
    } catch {
      throw StepFailure(outcome: .stopped, reason: "\(error)")
    }
  }

  func state() throws -> String {
    let root = store.view.records.root
    return "\(store.view.userCount) users, \(root.childCount) kinds, \(String(decoding: root.json(), as: UTF8.self))"
  }

  func close() { store.close() }
}

private final class TransactionOutcome: Sendable {
  private let value = Mutex<AccountError?>(nil)
  var error: AccountError? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

extension DiskOutcome {
  /// The outcome that a change's error states.
  fileprivate init(_ error: AccountError) {
    self =
      switch error.code {
      case .unavailable: .stopped
      case .outcomeUnknown: .unknown
      default: .done
      }
  }
}
