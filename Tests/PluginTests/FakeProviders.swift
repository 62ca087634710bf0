#if PLUGIN_OAuth
  import HearthOutbound
  import HearthTree
  import Synchronization
  import Testing

  /// Fake servers that answer by the prefix of the URL, and record the requests.
  final class FakeProviders: OutboundHTTP {
    typealias Answer = @Sendable (OutboundRequest) throws(OutboundError) -> OutboundResponse

    private let answers: Mutex<[(prefix: String, answer: Answer)]> = Mutex([])
    private let asked = Mutex<[OutboundRequest]>([])

    /// The requests so far.
    var requests: [OutboundRequest] { asked.withLock { $0 } }

    /// Sets the answer for URLs with a prefix; later calls take precedence.
    func on(_ prefix: String, _ answer: @escaping Answer) { answers.withLock { $0.insert((prefix, answer), at: 0) } }

    func on(_ prefix: String, status: Int = 200, _ json: String, headers: [OutboundHeader] = []) {
      on(prefix) { _ throws(OutboundError) in
        OutboundResponse(status: status, headers: headers, body: Array(json.utf8))
      }
    }

    func on(_ prefix: String, fails code: OutboundError.Code) {
      on(prefix) { _ throws(OutboundError) in throw OutboundError(code, "secret detail") }
    }

    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
      asked.withLock { $0.append(request) }
      guard let answer = answers.withLock({ all in all.first { request.url.hasPrefix($0.prefix) }?.answer }) else {
        Issue.record("nobody expected a request to \(request.url)")
        throw OutboundError(.unreachable, "")
      }
      return try answer(request)
    }
  }
#endif
