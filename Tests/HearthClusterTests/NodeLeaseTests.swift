import Testing

@testable import HearthCluster

@Suite struct NodeLeaseTests {
  private static let me = Incarnation(node: NodeID("a"), number: 4)

  private static func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(milliseconds: milliseconds) }

  private static func registered() -> NodeLease {
    var lease = NodeLease(node: me.node, timing: ClusterTiming())
    #expect(lease.tick(at: at(0)) == [.ask(.register(me.node), sentAt: at(0))])
    #expect(lease.answered(.register(me.node), sentAt: at(0), .registered(me), at: at(100)) == [.began(me)])
    return lease
  }

  @Test("a lease is trusted from the sending of the heartbeat, up to a margin before its end")
  func believed() {
    let lease = Self.registered()
    #expect(lease.status.isValid(at: Self.at(4_999)))
    #expect(!lease.status.isValid(at: Self.at(5_000)))
  }

  @Test("heartbeats are sent each second, and a late response shortens no lease")
  func heartbeats() {
    var lease = Self.registered()
    #expect(lease.tick(at: Self.at(999)).isEmpty)
    #expect(lease.tick(at: Self.at(1_000)) == [.ask(.heartbeat(Self.me), sentAt: Self.at(1_000))])
    _ = lease.tick(at: Self.at(2_000))
    _ = lease.answered(.heartbeat(Self.me), sentAt: Self.at(2_000), .renewed(gaps: 0), at: Self.at(2_001))
    _ = lease.answered(.heartbeat(Self.me), sentAt: Self.at(1_000), .renewed(gaps: 0), at: Self.at(2_002))
    #expect(lease.status.isValid(at: Self.at(6_999)))
  }

  @Test(
    "a node claims a database only after a whole lease without a gap, so that after an outage all nodes can renew theirs"
  )
  func claims() {
    var lease = Self.registered()
    func beat(_ time: Int64, gaps: Int64 = 0) {
      let answer = NodeLease.Answer.renewed(gaps: gaps)
      _ = lease.answered(.heartbeat(Self.me), sentAt: Self.at(time), answer, at: Self.at(time))
    }
    beat(3_000)
    beat(6_000)
    #expect(!lease.status.mayClaim(at: Self.at(6_099)))
    #expect(lease.status.mayClaim(at: Self.at(6_100)))
    beat(20_000, gaps: 1)
    #expect(!lease.status.mayClaim(at: Self.at(20_000)))
    beat(24_000, gaps: 1)
    #expect(lease.status.mayClaim(at: Self.at(26_000)))
  }

  @Test("a gap is noticed once, also when the answer to the heartbeat that ended it is lost")
  func lostAnswer() {
    var lease = Self.registered()
    _ = lease.answered(.heartbeat(Self.me), sentAt: Self.at(9_000), .failed, at: Self.at(9_700))
    _ = lease.answered(.heartbeat(Self.me), sentAt: Self.at(10_000), .renewed(gaps: 1), at: Self.at(10_001))
    #expect(lease.status.gaplessSince == Self.at(10_001))
    _ = lease.answered(.heartbeat(Self.me), sentAt: Self.at(11_000), .renewed(gaps: 1), at: Self.at(11_001))
    #expect(lease.status.gaplessSince == Self.at(10_001))
  }

  @Test("when a run is declared over, the node gives up all it owns, and begins another run")
  func ended() {
    var lease = Self.registered()
    #expect(
      lease.answered(.heartbeat(Self.me), sentAt: Self.at(9_000), .ended, at: Self.at(9_000)) == [.dropAll(Self.me)])
    #expect(!lease.status.isValid(at: Self.at(100)))
    #expect(lease.tick(at: Self.at(9_001)) == [.ask(.register(Self.me.node), sentAt: Self.at(9_001))])
    // An answer to the earlier run's heartbeat does not renew the lease of this run.
    _ = lease.answered(.heartbeat(Self.me), sentAt: Self.at(8_999), .renewed(gaps: 0), at: Self.at(9_002))
    #expect(!lease.status.isValid(at: Self.at(9_002)))
  }
}
