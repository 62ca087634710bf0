import HearthEngine
import Synchronization

@testable import HearthAccounts

/// A throttle with a simulated clock and a record of saved locks.
final class ThrottleFixture: Sendable {
  let throttle: Throttle
  let locks: SavedLocks
  let notices = Notices()
  private let milliseconds = Mutex<Int64>(1_700_000_000_000)

  /// Limits under which only the account's own counter applies.
  static var accountsOnly: ThrottleLimits {
    var limits = ThrottleLimits()
    limits.addressFailures = 1_000_000
    limits.addressAccounts = 1_000_000
    return limits
  }

  init(_ limits: ThrottleLimits = ThrottleLimits(), restored: [String: AccountLock] = [:]) {
    let saved = SavedLocks(restored)
    locks = saved
    throttle = Throttle(
      limits: limits, addressKey: Array("key".utf8), restored: restored, notice: { [notices] in notices.add($0) },
      persist: { saved.save($0, $1) })
  }

  var now: Instant {
    let wall = milliseconds.withLock { $0 }
    return Instant(wallMilliseconds: wall, monotonicMilliseconds: wall - 1_699_999_000_000)
  }

  func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1000 } }

  func begin(_ account: String = "ann@example.com", from address: String = "192.0.2.1") -> Throttle.Admission {
    throttle.beginPasswordAttempt(account: account, address: address, now: now)
  }

  func fail(_ account: String = "ann@example.com", from address: String = "192.0.2.1") -> Bool {
    guard begin(account, from: address) == .allowed else { return false }
    throttle.passwordFailed(account: account, address: address, now: now)
    return true
  }

  func succeed(_ account: String = "ann@example.com", from address: String = "192.0.2.1") -> Bool {
    guard begin(account, from: address) == .allowed else { return false }
    throttle.passwordSucceeded(account: account, address: address, now: now)
    return true
  }
}

/// The saved locks, kept in memory in place of a file.
final class SavedLocks: Sendable {
  private let locks: Mutex<[String: AccountLock]>

  init(_ locks: [String: AccountLock]) { self.locks = Mutex(locks) }

  func save(_ key: String, _ lock: AccountLock?) { locks.withLock { $0[key] = lock } }

  var all: [String: AccountLock] { locks.withLock { $0 } }
}

/// The notices to the operator.
final class Notices: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ notice: AccountsNotice) { texts.withLock { $0.append("\(notice.level): \(notice.text)") } }

  /// Returns the notices since the last call.
  func take() -> [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }
}
