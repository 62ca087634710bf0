import HearthEngine
import Synchronization

/// A monitor of the jobs of a ``LargeValuePool``: it tells when those are done that were added before some time, and may
/// read values of earlier versions.
package final class PoolJobMonitor: Sendable {
  private let current = Mutex(StateGeneration())

  /// The present period, which each job holds until it is done.
  var period: StateGeneration { current.withLock { $0 } }

  /// Returns a function that is true while jobs are left that were added before this call.
  package func makeCheck() -> @Sendable () -> Bool {
    let period = current.withLock { current in
      let (former, next) = (current, StateGeneration())
      former.end(with: next)
      current = next
      return StateGeneration.Former(former)
    }
    return { period.isHeld }
  }
}
