import HearthCluster
import RandomTestKit

/// How much of what happens in a simulation, and for how long.
package struct SimulationPlan {
  package var nodeCount = 3
  package var clientCount = 4
  /// Faults begin before this, and then all is mended.
  package var faultsEnd: Int64 = 7_000
  /// Clients ask nothing new after this.
  package var askUntil: Int64 = 8_000
  /// Calls of the store do what they should after this.
  package var callsFailUntil: Int64 = 12_000
  /// Every client writes once more, when nothing breaks any more.
  package var lastWriteAt: Int64 = 14_000
  /// Between two requests of a client, at most.
  package var pauseMilliseconds = 300
  /// Time for everything to come to rest.
  package var end: Int64 = 19_000
  package var faultCount = 0
  package var lostCallPercent = 0
  package var lostAnswerPercent = 0
  package var slowAppendPercent = 0
  package var relayPercent = 0
  package var losesTails = false
  /// Between two snapshots; 0 for none. Some of them let the log before it be pruned.
  package var snapshotMilliseconds = 0
  package var timing = ClusterTiming()

  /// Nothing goes wrong.
  package init() {
    // Short leases, so that much happens in little time; their proportions are the real ones, about.
    timing.leaseMilliseconds = 1_500
    timing.marginMilliseconds = 300
    timing.heartbeatMilliseconds = 300
    timing.beatMilliseconds = 250
    timing.tailMilliseconds = 150
    timing.watchMilliseconds = 300
    timing.announceMilliseconds = 2_000
    timing.stalenessMilliseconds = 3_000
    timing.memoryMilliseconds = 60_000
  }

  /// Something of everything goes wrong.
  package init(_ random: inout SeededRandom) {
    self.init()
    nodeCount = 2 + random.below(3)
    clientCount = 2 + random.below(4)
    faultCount = random.below(7)
    lostCallPercent = random.isOne(in: 2) ? random.below(6) : 0
    lostAnswerPercent = random.isOne(in: 2) ? random.below(6) : 0
    slowAppendPercent = random.isOne(in: 2) ? random.below(8) : 0
    relayPercent = random.below(40)
    losesTails = random.isOne(in: 5)
    snapshotMilliseconds = random.isOne(in: 2) ? 200 + random.below(2_000) : 0
  }
}
