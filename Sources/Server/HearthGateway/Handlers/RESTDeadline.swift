import HearthTransport
import NIOCore

/// A deadline of a read, which is answered once: with its response, or with a timeout.
///
/// Used on its event loop only.
final class RESTDeadline {
  private let cancellation: RequestCancellation
  private var completion: RESTResponse.Completion?
  private var timer: Scheduled<Void>?

  /// - Parameters:
  ///   - milliseconds: the time from now on.
  ///   - cancellation: set at the timeout.
  init(
    milliseconds: Int64, on loop: any EventLoop, cancellation: RequestCancellation,
    completion: @escaping RESTResponse.Completion
  ) {
    self.cancellation = cancellation
    self.completion = completion
    timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
      self.cancellation.cancel()
      self.finish(RESTResponse(.timedOut))
    }
  }

  /// Completes the read; later calls are ignored.
  func finish(_ response: RESTResponse) {
    guard let completion else { return }
    self.completion = nil
    timer?.cancel()
    timer = nil
    completion(response)
  }
}

extension RESTFailure {
  static let timedOut = RESTFailure(400, "The data could not be read within the requested timeout.")
}
