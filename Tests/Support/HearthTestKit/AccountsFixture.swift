import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthJournal
import RandomTestKit
import Synchronization

/// A test environment for accounts: clocks that only the test advances, deterministic random bytes, a journal in
/// memory, and all notices for the operator.
package final class AccountsFixture: Sendable {
  private struct State {
    var now: Instant
    var random: SeededRandom
    var notices: [AccountsNotice] = []
    var timers: [(deadline: Int64, work: @Sendable () -> Void)] = []
  }

  /// The start time in seconds since 1970: 2026-11-21T12:00:00Z.
  package static let startSeconds: Int64 = 1_795_262_400

  private let state: Mutex<State>

  /// Creates an environment at ``startSeconds``; the seed determines its random bytes.
  package init(seed: UInt64 = 1) {
    let start = Instant(wallMilliseconds: Self.startSeconds * 1000, monotonicMilliseconds: 1_000_000)
    state = Mutex(State(now: start, random: SeededRandom(seed: seed)))
  }

  /// The current time of both clocks.
  package var now: Instant { state.withLock { $0.now } }
  /// The wall clock, in seconds since 1970.
  package var nowSeconds: Int64 { now.wallMilliseconds / 1000 }

  /// Notices for the operator so far.
  package var notices: [AccountsNotice] { state.withLock { $0.notices } }

  /// A source of random bytes that the seed determines.
  package var random: RandomBytes {
    RandomBytes { [self] count in
      state.withLock { state in (0..<count).map { _ in UInt8(truncatingIfNeeded: state.random.next() >> 32) } }
    }
  }

  /// The environment of the accounts, in place of the machine's clock, randomness, timers and log.
  package var environment: AccountsEnvironment {
    AccountsEnvironment(
      clock: { [self] in now }, random: random,
      schedule: { [self] delay, work in
        state.withLock { $0.timers.append(($0.now.monotonicMilliseconds + delay, work)) }
      },
      notice: { [self] notice in state.withLock { $0.notices.append(notice) } })
  }

  /// Advances both clocks and runs the work that was scheduled until then.
  package func advance(seconds: Int64 = 0, milliseconds: Int64 = 0) {
    let due = state.withLock { state in
      state.now.wallMilliseconds += seconds * 1000 + milliseconds
      state.now.monotonicMilliseconds += seconds * 1000 + milliseconds
      let now = state.now.monotonicMilliseconds
      defer { state.timers.removeAll { $0.deadline <= now } }
      return state.timers.filter { $0.deadline <= now }
    }
    for timer in due { timer.work() }
  }

  /// Runs the work that is due within the given milliseconds, without moving a clock.
  package func runScheduled(within milliseconds: Int64) {
    let due = state.withLock { state in
      let end = state.now.monotonicMilliseconds + milliseconds
      defer { state.timers.removeAll { $0.deadline <= end } }
      return state.timers.filter { $0.deadline <= end }
    }
    for timer in due { timer.work() }
  }

  /// Sets the wall clock alone, as an operator or an NTP client does.
  package func setWallClock(seconds: Int64) { state.withLock { $0.now.wallMilliseconds = seconds * 1000 } }

  /// Opens an account store on the journal, which may be empty.
  package func store(
    _ journal: MemoryJournal = MemoryJournal(), limits: AccountStoreLimits = AccountStoreLimits()
  ) throws -> AccountStore {
    try AccountStore(
      journals: SingleJournalFactory(journal), environment: environment, projectID: "demo-test", limits: limits)
  }

  /// Returns a client with a given address.
  package func client(_ address: String = "192.0.2.1", userAgent: String = "test", requestID: String = "r1")
    -> ClientInfo
  {
    ClientInfo(address: address, userAgent: userAgent, requestID: requestID)
  }

  /// Returns a user with the current time as creation time.
  package func user(_ uid: String, email: String? = nil) -> UserRecord {
    var user = UserRecord(uid: uid, createdAtMilliseconds: now.wallMilliseconds)
    user.email = email
    return user
  }

  /// Returns a session that begins now.
  package func session(_ uid: String, family: String = "f1") -> SessionRecord {
    SessionRecord(
      family: family, uid: uid, signInProvider: "password", authTimeSeconds: nowSeconds, createdAtSeconds: nowSeconds,
      clientAddress: "192.0.2.1", userAgent: "test")
  }

  /// Returns a ticket that begins now.
  package func ticket(
    _ purpose: Ticket.Purpose = .resetPassword, uid: String?, email: String? = nil, lifetimeSeconds: Int64 = 3_600
  ) -> Ticket {
    Ticket(
      purpose: purpose, uid: uid, email: email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + lifetimeSeconds)
  }
}
