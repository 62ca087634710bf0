import HearthEngine
import Synchronization

/// The numbers of recent audit records by the account that caused them.
///
/// A signed-in user can repeat some events at will, such as a change of the name. Above a number in an hour these are
/// not recorded, so that they do not evict the records of others from the trail.
final class AuditRates: Sendable {
  /// The most accounts that are counted, the most recent ones.
  private static let accountsMax = 16_384
  private static let periodMilliseconds: Int64 = 3_600_000

  private let counters = Mutex(RecencyMap<String, SlidingCounter>(countMax: accountsMax))

  /// Returns true when an event is recorded, and counts it.
  ///
  /// - Parameter countMax: The most records that one account causes in an hour.
  func admits(_ event: AuditEvent, countMax: Int, now: Instant) -> Bool {
    guard let uid = event.uid, !event.isByAdministrator, event.kind.isRepeatable else { return true }
    return counters.withLock { counters in
      var counter = counters.value(uid) ?? SlidingCounter()
      defer { counters.set(uid, counter) }
      return counter.admit(
        countMax, periodMilliseconds: Self.periodMilliseconds, nowMilliseconds: now.monotonicMilliseconds)
    }
  }
}

extension AuditEvent.Kind {
  /// True for an event that a signed-in user can cause any number of times.
  fileprivate var isRepeatable: Bool {
    switch self {
    case .signIn, .profileChanged, .passwordChanged, .emailChanged, .codeIssued, .codeUsed, .codeFailed,
      .resetRequested,
      .providerLinked, .providerUnlinked, .factorEnrolled, .factorRemoved, .passkeyEnrolled, .passkeyRemoved,
      .refreshFailed:
      true
    case .signUp, .signInFailed, .factorFailed, .passkeyRefused, .refreshReused, .resetDone, .changeReverted,
      .userDisabled,
      .userEnabled, .userDeleted, .userErased, .claimsChanged, .revoked, .adminAPI, .usersImported, .usersExported,
      .secretUsed, .keyRotated, .configurationChanged, .developerMode, .console, .consoleRefused, .lockout:
      false
    }
  }
}
