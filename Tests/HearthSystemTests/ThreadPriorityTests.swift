#if os(Linux)
  import Foundation
  import Testing

  @testable import HearthSystem

  @Suite struct ThreadPriorityTests {
    @Test("A thread that computes for long lowers its priority, and that of no other thread")
    func lowersTheCallingThread() async {
      let before = await Self.niceness()
      let lowered = await Self.niceness { ThreadPriority.lower() }
      #expect(lowered == max(before, ThreadPriority.longWorkNiceness))
      #expect(await Self.niceness() == before)
    }

    /// Returns the nice value of a new thread after some work.
    private static func niceness(after work: @escaping @Sendable () -> Void = {}) async -> Int32 {
      await withCheckedContinuation { continuation in
        Thread {
          work()
          continuation.resume(returning: getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
        }.start()
      }
    }
  }
#endif
