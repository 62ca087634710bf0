#if os(Linux)
  import Foundation
  import HearthSystem
  import NIOCore
  import NIOPosix
  import ServerTestKit
  import Testing

  @testable import HearthGateway

  @Suite struct LargeValuePoolTests {
    private static let niceness: @Sendable () -> Int32 = {
      getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }

    @Test("large values are processed at a lower priority than the event loops, with which they may share a processor")
    func workStepsBack() async throws {
      let pool = LargeValuePool(memory: .ofTest())
      pool.start()
      let worked = try await pool.work { Self.niceness() }
      #expect(worked >= ThreadPriority.longWorkNiceness)
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let ran = try await loop.flatSubmit {
        let done = loop.makePromise(of: Int32?.self)
        pool.run(on: loop, Self.niceness) { done.succeed($0) }
        return done.futureResult
      }.get()
      #expect(ran.map { $0 >= ThreadPriority.longWorkNiceness } == true)
      await pool.stop()
    }
  }
#endif
