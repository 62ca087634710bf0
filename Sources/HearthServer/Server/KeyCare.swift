import HearthCrypto
import HearthEngine
import HearthGateway
import Logging

/// Makes the signing keys of a first start while the server answers already; replaces those that are due, and has those
/// that were replaced published and taken away in time.
struct KeyCare: Sendable {
  static let intervalSeconds: UInt64 = 600

  private let task: Task<Void, Never>

  /// - Parameter isEmulator: nothing is signed with these keys unless somebody asks for it, which makes them then; servers
  ///   that run for one test suite need not make them at their end.
  init(_ keys: KeyRing, isEmulator: Bool, logger: Logger) {
    task = Task.detached(priority: .utility) {
      if isEmulator { try? await Task.sleep(nanoseconds: Self.intervalSeconds * 1_000_000_000) }
      if isEmulator, Task.isCancelled { return }
      // The first round is made whole, so that a server that is stopped at once leaves its keys.
      repeat {
        let outcome = await ServerParts.onBlockingThread {
          keys.rotateIfDue(nowSeconds: SystemClock.now.wallMilliseconds / 1000)
        }
        if case .failure(let error) = outcome {
          logger.error("signing keys could not be made or replaced", metadata: ["error": "\(error)"])
        }
        try? await Task.sleep(nanoseconds: Self.intervalSeconds * 1_000_000_000)
      } while !Task.isCancelled
    }
  }

  /// Ends the care once a round that has begun is through.
  func stop() async {
    task.cancel()
    await task.value
  }
}
