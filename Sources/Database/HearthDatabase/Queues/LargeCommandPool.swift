import HearthSystem
import Synchronization

/// The large commands of a database, and the queues on which they run.
final class LargeCommandPool: Sendable {
  let commands: Mutex<LargeCommandScheduler>
  let writes = LongWorkQueue()
  let reads = LongWorkQueue()

  init(limits: DatabaseLimits) { commands = Mutex(LargeCommandScheduler(limits: limits)) }

  /// True when no large command runs and no command waits.
  var isIdle: Bool { commands.withLock { $0.isIdle } }

  /// Waits for the commands under way.
  func wait() {
    writes.wait()
    reads.wait()
  }
}
