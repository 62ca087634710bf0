import Foundation
import Synchronization
import Testing

@testable import HearthClient

/// Tests of the monitor that ends the wait between two attempts to connect.
@Suite struct ReachabilityTests {
  private final class Count: Sendable {
    let value = Atomic(0)
  }

  @Test("an app that comes to the foreground is reported, until the monitor is released")
  func foreground() {
    let count = Count()
    var monitor: Reachability? = Reachability { count.value.add(1, ordering: .relaxed) }
    func post() { NotificationCenter.default.post(name: Reachability.willEnterForeground, object: nil) }
    withExtendedLifetime(monitor) { post() }
    #expect(count.value.load(ordering: .relaxed) == 1)
    monitor = nil
    post()
    #expect(count.value.load(ordering: .relaxed) == 1)
  }
}
