import HearthSystem
import Synchronization
import Testing

/// Tests of the queue of long computations.
@Suite struct LongWorkQueueTests {
  @Test("work runs in order, one after another, also when the thread of earlier work has ended")
  func order() {
    let queue = LongWorkQueue()
    let done = Mutex<[Int]>([])
    for round in 0..<3 {
      for number in 0..<100 {
        queue.async { done.withLock { $0.append(round * 100 + number) } }
      }
      queue.wait()
      #expect(done.withLock { $0 } == Array(0..<(round + 1) * 100))
    }
  }

  @Test("work can add work, which runs after work that waits already")
  func nested() {
    let queue = LongWorkQueue()
    let done = Mutex<[String]>([])
    queue.async {
      queue.async { done.withLock { $0.append("nested") } }
      done.withLock { $0.append("first") }
    }
    queue.wait()
    queue.wait()
    #expect(done.withLock { $0 } == ["first", "nested"])
  }
}
