import HearthEngine
import HearthRules

/// The conditions of a ``Simulation``: the events that occur in it, and the faults of the engine.
package struct SimulationConditions: Sendable {
  /// The kinds of rules in use.
  package var policies = SimulationPolicy.allCases

  /// True when users mostly write many messages, which makes live queries change often.
  package var isWriteHeavy = false

  /// True when live queries may keep all the indexes that they need. Otherwise they receive more than they ask for, and
  /// rules that read the query must not occur.
  package var hasRoomForOrders = true

  /// True when some writes are decided in the background, as large ones are, and settled after other commands.
  package var setsAside = true

  /// True when hardly any listen is evaluated again within the command that affects it.
  package var isSliced = false

  /// True when nothing is in memory before each step.
  package var isCold = false

  /// True when a read of a page fails now and then. The command is then refused, and sent again; or the engine is not to
  /// be used any more, and the server restarts.
  package var failsReads = false

  /// True when the engine is to release earlier versions now and then.
  package var releasesVersions = false

  /// Kinds of reads that the engine's dependency index ignores; only for tests of the simulation.
  package var ignored: ReadDependencies.Aspects = []

  /// Faults of the engine's live queries; only for tests of the simulation.
  package var faults: InjectedFaults = []

  /// Creates conditions in which every event may occur, and the engine has no faults.
  package init() {}

  /// False when a fault is planted, which the following servers would detect themselves.
  var isFollowed: Bool { ignored.isEmpty && faults.isEmpty && !isSliced }

  /// Limits so small that a few children count as a large location.
  var limits: EngineLimits {
    var limits = EngineLimits()
    limits.indexedChildrenMin = 2
    limits.largeWriteBytes = 0
    limits.recordsMerges = true
    if isSliced {
      limits.inlineRedecisionListensMax = 1
      (limits.inlineRedecisionStepsMax, limits.redecisionStepsPerSlice) = (0, 1)
      (limits.missedEventsPerLocationMax, limits.missedEventsMax) = (3, 20)
    }
    if !hasRoomForOrders { limits.undeclaredIndexEntriesMax = 2 * EngineLimits.indexEntriesMin + 2 }
    return limits
  }
}
