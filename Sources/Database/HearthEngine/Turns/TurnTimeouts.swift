/// How often users lately had a turn and did not use it, over all of their connections and requests: a new connection does
/// not begin anew.
///
/// Who is not signed in has no name to be remembered by, and shares nothing with others who are not.
struct TurnTimeouts: Sendable {
  private let limits: EngineLimits
  private var lapses: [TurnRequester.User: (count: Int, lastMonotonicMilliseconds: Int64)] = [:]

  init(limits: EngineLimits) { self.limits = limits }

  /// Lapses since the user last used a turn, as far as they are not long past.
  func count(of user: TurnRequester.User, at instant: Instant) -> Int {
    guard let lapse = lapses[user] else { return 0 }
    return instant.monotonicMilliseconds - lapse.lastMonotonicMilliseconds < limits.turnLapseMillisecondsMax
      ? lapse.count : 0
  }

  /// A turn passed, or ended without a commit. Without room for one more user it is not noted.
  mutating func add(_ user: TurnRequester.User, at instant: Instant) {
    guard user.uid != nil else { return }
    forgetOld(at: instant)
    guard lapses[user] != nil || lapses.count < limits.turnLapsedUsersMax else { return }
    lapses[user] = (count(of: user, at: instant) + 1, instant.monotonicMilliseconds)
  }

  /// The user was slow, and not silent.
  mutating func forgive(_ user: TurnRequester.User) {
    guard let count = lapses[user]?.count else { return }
    if count > 1 { lapses[user]?.count = count - 1 } else { lapses[user] = nil }
  }

  /// A turn was used.
  mutating func clear(_ user: TurnRequester.User) { lapses[user] = nil }

  /// Forgets those whose last lapse is long past.
  private mutating func forgetOld(at instant: Instant) {
    let before = instant.monotonicMilliseconds - limits.turnLapseMillisecondsMax
    if lapses.values.contains(where: { $0.lastMonotonicMilliseconds <= before }) {
      lapses = lapses.filter { $0.value.lastMonotonicMilliseconds > before }
    }
  }
}
