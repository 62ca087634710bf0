import HearthCluster
import RandomTestKit

/// How much of what happens in a simulation, and for how long.
struct SimulationPlan {
  var nodeCount = 3
  var clientCount = 4
  /// Faults begin before this, and then all is mended.
  var faultsEnd: Int64 = 7_000
  /// Clients ask nothing new after this.
  var askUntil: Int64 = 8_000
  /// Calls of the store do what they should after this.
  var callsFailUntil: Int64 = 12_000
  /// Every client writes once more, when nothing breaks any more.
  var lastWriteAt: Int64 = 14_000
  /// Between two requests of a client, at most.
  var pauseMilliseconds = 300
  /// Time for everything to come to rest.
  var end: Int64 = 19_000
  var faultCount = 0
  var lostCallPercent = 0
  var lostAnswerPercent = 0
  var slowAppendPercent = 0
  var relayPercent = 0
  var losesTails = false
  var timing = ClusterTiming()

  /// Nothing goes wrong.
  init() {
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
  init(_ random: inout SeededRandom) {
    self.init()
    nodeCount = 2 + random.below(3)
    clientCount = 2 + random.below(4)
    faultCount = random.below(7)
    lostCallPercent = random.isOne(in: 2) ? random.below(6) : 0
    lostAnswerPercent = random.isOne(in: 2) ? random.below(6) : 0
    slowAppendPercent = random.isOne(in: 2) ? random.below(8) : 0
    relayPercent = random.below(40)
    losesTails = random.isOne(in: 5)
  }
}
