import HearthCrypto
import HearthEngine
import HearthGateway
import Logging

/// Makes the signing keys of a first start while the server answers already; replaces those that are due, and has those
/// that were replaced published and taken away in time.
struct KeyRotator: Sendable {
  static let intervalSeconds = 600

  private let task: PeriodicTask

  /// - Parameter isEmulator: nothing is signed with these keys unless somebody asks for it, which makes them then; servers
  ///   that run for one test suite need not make them at their end.
  init(_ keys: KeyRing, isEmulator: Bool, logger: Logger) {
    // A server that is stopped at once leaves its keys, too.
    task = PeriodicTask(every: .seconds(Self.intervalSeconds), isEmulator ? .afterPause : .atOnce) {
      let outcome = await BlockingThread.run {
        keys.rotateIfDue(nowSeconds: SystemClock.now.wallMilliseconds / 1000)
      }
      if case .failure(let error) = outcome {
        logger.error("signing keys could not be made or replaced", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Ends the care once a round that has begun is through.
  func stop() async { await task.stop() }
}
