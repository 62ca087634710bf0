import HearthCluster
import NIOEmbedded
import Synchronization
import Testing

@testable import HearthClusterNode

/// Tests of requests that wait for others to the same node.
@Suite struct QuestionLimiterTests {
  private final class SentRequests: Sendable {
    private let sent = Mutex<[Int]>([])
    var all: [Int] { sent.withLock { $0 } }
    func add(_ number: Int) { sent.withLock { $0.append(number) } }
  }

  @Test(
    "each node gets a limited number of requests at a time, the others wait in order, and those beyond a limit are refused"
  )
  func turns() {
    let (a, b, loop, sent) = (NodeID("a"), NodeID("b"), EmbeddedEventLoop(), SentRequests())
    let turns = QuestionLimiter(pendingMax: 2, waitingMax: 3)
    let taken = (0..<6).map { number in turns.begin(a) { sent.add(number) } }
    #expect(taken == [true, true, true, true, true, false])
    #expect(sent.all == [0, 1])
    #expect(turns.begin(b) { sent.add(9) }, "another node")
    turns.end(a, on: loop)
    #expect(sent.all == [0, 1, 9], "on the loop, and not within whoever ended")
    loop.run()
    #expect(sent.all == [0, 1, 9, 2])
    for _ in 0..<4 { turns.end(a, on: loop) }
    loop.run()
    #expect(sent.all == [0, 1, 9, 2, 3, 4])
    #expect(turns.begin(a) { sent.add(7) } && sent.all.last == 7, "there is room again")
  }
}
