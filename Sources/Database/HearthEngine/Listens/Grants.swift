import HearthRules

/// What listens were allowed by: what the rules read to say so, and whether time was part of it. Those are found here whose
/// permission could be another one now.
struct Grants {
  private let dependencies: DependencyIndex
  private let clockIntervalMilliseconds: Int64
  /// The listens whose rules look at the time.
  private var clockListens = DenseTable<ObjectIdentifier, Listen>()
  private var clockCheckMonotonicMilliseconds: Int64 = 0

  /// - Parameter ignored: Aspects to leave out of the dependency index: a fault, for the test that must notice it.
  init(clockIntervalMilliseconds: Int64, ignoring ignored: ReadDependencies.Aspects) {
    self.clockIntervalMilliseconds = clockIntervalMilliseconds
    dependencies = DependencyIndex(ignoring: ignored)
  }

  /// No listen depends on anything.
  var isEmpty: Bool { dependencies.isEmpty && clockListens.isEmpty }

  /// The time when ``isClockDue(at:)`` is true next, on the monotonic clock; nil without listens that look at the time.
  var nextCheckMonotonicMilliseconds: Int64? { clockListens.isEmpty ? nil : clockCheckMonotonicMilliseconds }

  /// Notes with a listen by whom and what it was allowed.
  mutating func set(_ listen: Listen, by decision: Decision?, at now: Instant) {
    listen.principal = listen.connection.principal
    listen.decidedWallMilliseconds = now.wallMilliseconds
    dependencies.set(listen, decision?.dependencies)
    setUsesClock(listen, decision?.dependencies?.usesClock ?? false, at: now)
  }

  /// Takes a listen's grant out of the indexes.
  mutating func release(_ listen: Listen) {
    dependencies.remove(listen)
    guard listen.usesClock else { return }
    listen.setClock(false)
    clockListens.remove(ObjectIdentifier(listen))
  }

  /// The live listens whose permission a commit could change, oldest first.
  ///
  /// - Parameter countMax: Places that concern more listens are given instead of these.
  func affected(by commit: Commit, countMax: Int) -> AffectedListens {
    dependencies.affected(by: commit, countMax: countMax)
  }

  /// The number of listens that there are whose rules look at the time.
  var clockListenCount: Int { clockListens.count }

  /// The listens whose rules look at the time.
  var dueClockListens: [Listen] { clockListens.entries.map(\.value) }

  /// Returns true when the listens whose rules look at the time are to be decided again: true once in an interval.
  mutating func isClockDue(at now: Instant) -> Bool {
    guard !clockListens.isEmpty, now.monotonicMilliseconds >= clockCheckMonotonicMilliseconds else { return false }
    clockCheckMonotonicMilliseconds = now.monotonicMilliseconds + clockIntervalMilliseconds
    return true
  }

  private mutating func setUsesClock(_ listen: Listen, _ usesClock: Bool, at now: Instant) {
    guard usesClock != listen.usesClock else { return }
    listen.setClock(usesClock)
    guard usesClock else {
      clockListens.remove(ObjectIdentifier(listen))
      return
    }
    if clockListens.isEmpty {
      clockCheckMonotonicMilliseconds = now.monotonicMilliseconds + clockIntervalMilliseconds
    }
    clockListens.set(ObjectIdentifier(listen), listen)
  }
}
