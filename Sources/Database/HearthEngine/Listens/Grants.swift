import HearthRules

/// The grants of listens: the data that the rules read for each of them, and whether they read the time. They determine
/// which listens' permission may have changed.
struct Grants {
  private let dependencies: DependencyIndex
  private let clockIntervalMilliseconds: Int64
  /// The listens whose rules read the time.
  private var clockListens = DenseTable<ObjectIdentifier, Listen>()
  private var clockCheckMonotonicMilliseconds: Int64 = 0

  /// Creates empty grants.
  ///
  /// - Parameter ignored: Aspects to leave out of the dependency index: a fault that tests inject.
  init(clockIntervalMilliseconds: Int64, ignoring ignored: ReadDependencies.Aspects) {
    self.clockIntervalMilliseconds = clockIntervalMilliseconds
    dependencies = DependencyIndex(ignoring: ignored)
  }

  /// True when no listen depends on data or time.
  var isEmpty: Bool { dependencies.isEmpty && clockListens.isEmpty }

  /// The time when ``isClockDue(at:)`` becomes true next, on the monotonic clock; nil when no listen's rules read the
  /// time.
  var nextCheckMonotonicMilliseconds: Int64? { clockListens.isEmpty ? nil : clockCheckMonotonicMilliseconds }

  /// Records the decision that allows a listen, with its principal.
  mutating func set(_ listen: Listen, by decision: Decision?, at now: Instant) {
    listen.principal = listen.connection.principal
    listen.decidedWallMilliseconds = now.wallMilliseconds
    dependencies.set(listen, decision?.dependencies)
    setUsesClock(listen, decision?.dependencies?.usesClock ?? false, at: now)
  }

  /// Removes a listen's grant from the indexes.
  mutating func release(_ listen: Listen) {
    dependencies.remove(listen)
    guard listen.usesClock else { return }
    listen.setClock(false)
    clockListens.remove(ObjectIdentifier(listen))
  }

  /// Returns the live listens whose permission a commit may change, oldest first.
  ///
  /// - Parameter countMax: The most listens of one node; a node with more is returned instead of them.
  func affected(by commit: Commit, countMax: Int) -> AffectedListens {
    dependencies.affected(by: commit, countMax: countMax)
  }

  /// The number of listens whose rules read the time.
  var clockListenCount: Int { clockListens.count }

  /// The listens whose rules read the time.
  var dueClockListens: [Listen] { clockListens.entries.map(\.value) }

  /// Returns true once in ``clockIntervalMilliseconds``, when the listens whose rules read the time must be decided
  /// again.
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
