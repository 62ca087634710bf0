import HearthCluster
import NIOEmbedded
import Synchronization
import Testing

@testable import HearthClusterNode

/// Tests of requests that wait for others to the same node.
@Suite struct QuestionLimiterTests {
  private final class Asked: Sendable {
    private let asked = Mutex<[Int]>([])
    var all: [Int] { asked.withLock { $0 } }
    func add(_ number: Int) { asked.withLock { $0.append(number) } }
  }

  @Test(
    "each node gets a limited number of requests at a time, the others wait in order, and those beyond a limit are refused"
  )
  func turns() {
    let (a, b, loop, asked) = (NodeID("a"), NodeID("b"), EmbeddedEventLoop(), Asked())
    let turns = QuestionLimiter(pendingMax: 2, waitingMax: 3)
    let taken = (0..<6).map { number in turns.begin(a) { asked.add(number) } }
    #expect(taken == [true, true, true, true, true, false])
    #expect(asked.all == [0, 1])
    #expect(turns.begin(b) { asked.add(9) }, "another node")
    turns.end(a, on: loop)
    #expect(asked.all == [0, 1, 9], "on the loop, and not within whoever ended")
    loop.run()
    #expect(asked.all == [0, 1, 9, 2])
    for _ in 0..<4 { turns.end(a, on: loop) }
    loop.run()
    #expect(asked.all == [0, 1, 9, 2, 3, 4])
    #expect(turns.begin(a) { asked.add(7) } && asked.all.last == 7, "there is room again")
  }
}
