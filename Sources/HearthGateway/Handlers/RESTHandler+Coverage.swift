import HearthRules
import HearthTree

/// `GET /.inspect/coverage` and `/.inspect/coverage.json`: how often each part of a database's rules came to what, since
/// they were deployed or the server started. For administrators; an emulator tells everybody on its machine.
extension RESTHandler {
  func coverage(isPage: Bool, _ context: Context) throws(RESTFailure) {
    let isOpen = services.isEmulator && context.origin.isFromLoopback
    guard isOpen || context.caller.principal.isAdministrator else { throw .unauthorized }
    guard context.request.method.isRead else { throw .methodNotAllowed }
    let services = services
    withReading(context) { source in
      guard let coverage = source.state.rules.coverage else {
        return context.completion(
          RESTResponse(RESTFailure(404, "Nothing is counted: start the server with --rules-coverage.")))
      }
      let isPretty = context.request.isPretty
      services.pool.run(on: hub.loop) {
        guard isPage, let page = services.coveragePage else { return RESTResponse(coverage.json, pretty: isPretty) }
        var response = RESTResponse(body: Array(page(coverage).utf8))
        response.contentType = "text/html; charset=utf-8"
        return response
      } completion: { response in
        context.completion(response ?? RESTResponse(.unavailable))
      }
    }
  }
}
