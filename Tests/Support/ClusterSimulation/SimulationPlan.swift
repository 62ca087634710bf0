import HearthCluster
import RandomTestKit

/// The parameters of a simulation: probabilities of events, and durations in milliseconds.
package struct SimulationPlan {
  package var nodeCount = 3
  package var clientCount = 4
  /// The time at which faults end and everything is repaired.
  package var faultsEnd: Int64 = 7_000
  /// The time after which clients make no new requests.
  package var requestsEnd: Int64 = 8_000
  /// The time after which all calls of the store succeed.
  package var callsFailUntil: Int64 = 12_000
  /// The time of each client's last write, when all faults have ended.
  package var lastWriteAt: Int64 = 14_000
  /// The longest pause between two requests of a client, in milliseconds.
  package var pauseMilliseconds = 300
  /// The end of the simulation, with time for all pending work to finish.
  package var end: Int64 = 19_000
  package var faultCount = 0
  package var lostCallPercent = 0
  package var lostAnswerPercent = 0
  package var slowAppendPercent = 0
  package var relayPercent = 0
  package var losesTails = false
  /// The interval between two snapshots in milliseconds; 0 for none. After some snapshots the log before them is
  /// pruned.
  package var snapshotMilliseconds = 0
  package var timing = ClusterTiming()

  /// Creates a plan without faults.
  package init() {
    // Short leases, so that much happens in little time; their proportions are close to the real ones.
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

  /// Creates a plan with every kind of fault.
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
