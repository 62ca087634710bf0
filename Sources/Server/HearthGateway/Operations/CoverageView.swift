import HearthRules
import HearthTree

/// `GET /.inspect/coverage` and `/.inspect/coverage.json`: the counts of each result of the parts of a database's
/// rules, since their deploy or the server's start. For administrators; an emulator shows them to every client on its
/// machine.
struct CoverageView {
  let call: RESTCall
  /// True for an HTML page; otherwise JSON.
  let isPage: Bool

  func answer() throws(RESTFailure) {
    guard call.request.method.isRead else { throw .methodNotAllowed }
    let (services, hub, isPage) = (call.services, call.hub, isPage)
    call.withReading { source in
      guard let coverage = source.state.rules.coverage else {
        return call.completion(
          RESTResponse(RESTFailure(404, "Coverage is not counted. Start the server with --rules-coverage.")))
      }
      let isPretty = call.request.isPretty
      services.pool.run(on: hub.loop) {
        guard isPage, let page = services.coveragePage else { return RESTResponse(coverage.json, pretty: isPretty) }
        var response = RESTResponse(body: Array(page(coverage).utf8))
        response.contentType = "text/html; charset=utf-8"
        return response
      } completion: { response in
        call.completion(response ?? RESTResponse(.unavailable))
      }
    }
  }
}
