import Dispatch

/// Where the work for accounts runs: on threads of its own, beside event loops and databases.
///
/// Swift's shared pool has one thread a core and adds none when they block. A plugin that waits for something without
/// giving its thread back would stop every other request there, and the clock that ends its own; here it costs a
/// thread.
public final class AccountsExecutor: TaskExecutor {
  /// The one that all work for accounts runs on.
  public static let shared = AccountsExecutor()

  private let queue = DispatchQueue(label: "hearth.accounts", attributes: .concurrent)

  /// Runs a job on a thread of its own.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
