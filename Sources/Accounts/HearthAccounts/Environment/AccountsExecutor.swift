import Dispatch

/// The executor for the accounts' work: threads of its own, apart from event loops and databases.
///
/// Swift's shared pool has one thread per core and adds none when they block. A plugin that blocks its thread would
/// stop every other request there, and the clock that enforces its own deadline; here it costs one thread.
public final class AccountsExecutor: TaskExecutor {
  /// The executor for all accounts.
  public static let shared = AccountsExecutor()

  private let queue = DispatchQueue(label: "hearth.accounts", attributes: .concurrent)

  /// Runs a job on a thread of its own.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
