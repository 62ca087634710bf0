import HearthOutbound
import NIOCore

/// A request with its outcome. It belongs to one event loop.
final class LocalExchange {
  let request: OutboundRequest
  let url: LocalURL
  private let answer: EventLoopPromise<OutboundResponse>
  private var timer: Scheduled<Void>?
  private(set) var isFinished = false
  /// True when it was sent on a used connection, which the receiver may have closed.
  var isOnUsedConnection = false
  /// True when the request was sent.
  var wasSent = false
  /// The connection that carries it; nil before and afterwards.
  weak var connection: LocalConnection?

  init(_ request: OutboundRequest, to url: LocalURL, _ answer: EventLoopPromise<OutboundResponse>) {
    (self.request, self.url, self.answer) = (request, url, answer)
  }

  func startTimer(on loop: any EventLoop) {
    guard timer == nil, !isFinished else { return }
    timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(request.timeoutMilliseconds))) { [weak self] in
      self?.fail(.timedOut, "\(self?.url.host ?? "it") did not answer in time")
    }
  }

  func succeed(_ response: OutboundResponse) {
    guard finish() else { return }
    answer.succeed(response)
  }

  func fail(_ code: OutboundError.Code, _ message: String, wasAnswered: Bool = false) {
    let connection = connection
    guard finish() else { return }
    var error = OutboundError(code, message)
    (error.wasSent, error.wasAnswered) = (wasSent, wasAnswered || connection?.hasAnswerBegun == true)
    answer.fail(error)
    connection?.close()
  }

  private func finish() -> Bool {
    guard !isFinished else { return false }
    (isFinished, connection) = (true, nil)
    timer?.cancel()
    timer = nil
    return true
  }
}

extension OutboundRequest {
  /// The timeout for connecting: no longer than that of the whole request.
  var connectTimeout: TimeAmount {
    let all = TimeAmount.milliseconds(Int64(timeoutMilliseconds))
    return connectTimeoutSeconds.map { min(all, .seconds(Int64($0))) } ?? all
  }
}
