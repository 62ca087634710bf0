import HearthMetrics
import HearthTransport
import NIOCore
import NIOHTTP1

/// The operation `GET /.metrics`: the metrics, in Prometheus' text format, of all databases. For administrators, and
/// for clients with the metrics token.
struct MetricsPage {
  static let path = "/.metrics"

  let services: GatewayServices
  let hub: LoopHub

  func answer(_ http: HTTPRequest, completion: @escaping RESTResponse.Completion) throws(RESTFailure) {
    guard http.method == .GET || http.method == .HEAD else { throw .methodNotAllowed }
    let query = try URLQuery(http.query)
    let origin = services.origin(of: http)
    guard let credential = try RESTCredential(headers: http.headers, query: query) else { throw .unauthorized }
    if !isScraper(credential) {
      let caller = try services.caller(of: credential, from: origin, now: SystemClock.now)
      try services.check(RESTOperation.metrics.requirement(of: .get), of: caller, from: origin)
    }
    guard let metrics = services.metrics else { throw .notFound }
    let promise = hub.loop.makePromise(of: [UInt8].self)
    promise.futureResult.assumeIsolated().whenSuccess { text in
      var response = RESTResponse(body: text)
      response.contentType = PrometheusText.contentType
      completion(response)
    }
    Task { promise.succeed(await metrics()) }
  }

  private func isScraper(_ credential: RESTCredential) -> Bool {
    guard credential.source == .bearer, credential.override == nil else { return false }
    return services.admitsScraper(credential.token)
  }
}
