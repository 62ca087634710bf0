import HearthEngine
import HearthRules

/// Under what a ``Simulation`` runs: what occurs in it, and what the engine is made to do wrong.
package struct SimulationConditions: Sendable {
  /// The kinds of rules that occur.
  package var policies = SimulationPolicy.allCases

  /// True when people mostly write many messages, so that live queries have much to follow.
  package var isTalkative = false

  /// True when live queries may keep all the orders that they need. Otherwise they are sent more than they ask for, and
  /// rules that look at the query must not occur.
  package var hasRoomForOrders = true

  /// True when some writes are set aside as large ones are, and settled after others came between.
  package var setsAside = true

  /// True when hardly any listen is decided again with the command that puts it in doubt.
  package var isSliced = false

  /// What the engine's dependency index leaves out; nothing but for a test of the simulation.
  package var ignored: ReadDependencies.Aspects = []

  /// What the engine gets wrong about live queries; nothing but for a test of the simulation.
  package var faults: EngineFaults = []

  /// Everything may occur, and the engine works as it should.
  package init() {}

  /// True when other servers follow: where the engine does something wrong they would be the ones to notice.
  var isFollowed: Bool { ignored.isEmpty && faults.isEmpty && !isSliced }

  /// Small enough for what happens with large places to happen with a few children.
  var limits: EngineLimits {
    var limits = EngineLimits()
    limits.orderedChildrenMin = 2
    limits.largeWriteBytes = 0
    limits.recordsMerges = true
    if isSliced {
      limits.redecisionListensInLine = 1
      (limits.redecisionStepsInLine, limits.redecisionStepsPerSlice) = (0, 1)
      (limits.missedEventsPerPlaceMax, limits.missedEventsMax) = (3, 20)
    }
    if !hasRoomForOrders { limits.undeclaredOrderEntriesMax = 2 * EngineLimits.orderEntriesMin + 2 }
    return limits
  }
}
