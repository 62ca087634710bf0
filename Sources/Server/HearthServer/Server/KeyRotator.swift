import HearthCrypto
import HearthEngine
import HearthGateway
import Logging

/// A task that makes the signing keys of a first start while the server answers already, replaces those that are due,
/// and publishes and removes the replaced ones in time.
struct KeyRotator: Sendable {
  static let intervalSeconds = 600

  private let task: PeriodicTask

  /// Starts the task.
  ///
  /// - Parameter isEmulator: true makes keys only at their first use; servers that run for one test suite then need not
  ///   make them at their end.
  init(_ keys: KeyRing, isEmulator: Bool, logger: Logger) {
    // A server that is stopped at once leaves its keys in the folder, too.
    task = PeriodicTask(every: .seconds(Self.intervalSeconds), isEmulator ? .afterPause : .atOnce) {
      let outcome = await BlockingThread.run {
        keys.rotateIfDue(nowSeconds: SystemClock.now.wallMilliseconds / 1000)
      }
      if case .failure(let error) = outcome {
        logger.error("signing keys could not be created or rotated", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Stops the task after the current round.
  func stop() async { await task.stop() }
}
