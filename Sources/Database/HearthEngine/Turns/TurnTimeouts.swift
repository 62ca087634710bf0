/// The numbers of turns that users recently let expire, over all of their connections and requests: a new connection
/// does not reset them.
///
/// Signed-out clients cannot be identified, so they are not counted here.
struct TurnTimeouts: Sendable {
  private let limits: EngineLimits
  private var timeouts: [TurnRequester.User: (count: Int, lastMonotonicMilliseconds: Int64)] = [:]

  init(limits: EngineLimits) { self.limits = limits }

  /// Returns the number of recent expired turns since the user last used one.
  func count(of user: TurnRequester.User, at instant: Instant) -> Int {
    guard let timeout = timeouts[user] else { return 0 }
    return instant.monotonicMilliseconds - timeout.lastMonotonicMilliseconds < limits.turnExpiryMillisecondsMax
      ? timeout.count : 0
  }

  /// Records a turn that expired, or ended without a commit. Does nothing for a further user when
  /// ``EngineLimits/turnExpiredUsersMax`` are recorded.
  mutating func add(_ user: TurnRequester.User, at instant: Instant) {
    guard user.uid != nil else { return }
    forgetOld(at: instant)
    guard timeouts[user] != nil || timeouts.count < limits.turnExpiredUsersMax else { return }
    timeouts[user] = (count(of: user, at: instant) + 1, instant.monotonicMilliseconds)
  }

  /// Decreases the count of a user whose client turned out to be slow rather than inactive.
  mutating func forgive(_ user: TurnRequester.User) {
    guard let count = timeouts[user]?.count else { return }
    if count > 1 { timeouts[user]?.count = count - 1 } else { timeouts[user] = nil }
  }

  /// Records the use of a turn.
  mutating func clear(_ user: TurnRequester.User) { timeouts[user] = nil }

  /// Removes users without recent expired turns.
  private mutating func forgetOld(at instant: Instant) {
    let before = instant.monotonicMilliseconds - limits.turnExpiryMillisecondsMax
    if timeouts.values.contains(where: { $0.lastMonotonicMilliseconds <= before }) {
      timeouts = timeouts.filter { $0.value.lastMonotonicMilliseconds > before }
    }
  }
}
