import Dispatch
import Synchronization

/// The large commands of a database, and the queues on which they run.
final class LargeCommandPool: Sendable {
  let commands: Mutex<LargeCommandScheduler>
  let writes: DispatchQueue
  let reads: DispatchQueue

  init(of name: String, limits: DatabaseLimits) {
    commands = Mutex(LargeCommandScheduler(limits: limits))
    writes = DispatchQueue(label: "hearth.large.\(name)", qos: .utility)
    reads = DispatchQueue(label: "hearth.reads.\(name)", qos: .utility)
  }

  /// True when no large command runs and no command waits.
  var isIdle: Bool { commands.withLock { $0.isIdle } }

  /// Waits for the commands under way.
  func wait() {
    writes.sync {}
    reads.sync {}
  }
}
