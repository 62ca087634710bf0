import HearthTransport
import NIOCore

/// Makes sure that a read is answered once: with its answer, or with a timeout when its time is over.
///
/// Used on its event loop only.
final class RESTDeadline {
  private let abandonment: Abandonment
  private var completion: RESTResponse.Completion?
  private var timer: Scheduled<Void>?

  /// - Parameters:
  ///   - milliseconds: from now on.
  ///   - abandonment: declared when the time is over.
  init(
    milliseconds: Int64, on loop: any EventLoop, abandonment: Abandonment, completion: @escaping RESTResponse.Completion
  ) {
    self.abandonment = abandonment
    self.completion = completion
    timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
      self.abandonment.declare()
      self.finish(RESTResponse(.timedOut))
    }
  }

  /// What comes second is dropped.
  func finish(_ response: RESTResponse) {
    guard let completion else { return }
    self.completion = nil
    timer?.cancel()
    timer = nil
    completion(response)
  }
}

extension RESTFailure {
  static let timedOut = RESTFailure(400, "The data could not be read within the timeout that was asked for.")
}
