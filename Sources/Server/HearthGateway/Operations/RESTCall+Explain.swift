import HearthEngine
import HearthRules
import HearthTree

/// The rules' explanation for callers whose credential asks for it: in the header `X-Firebase-Auth-Debug`.
extension RESTCall {
  /// The maximum bytes of an explanation: proxies and clients refuse much longer headers.
  private static let sizeBytesMax = 4_096

  /// Makes the explanation of a read when the caller asks for one.
  ///
  /// - Parameter body: called on this loop with the same call, which has the explanation in its response.
  func explainingRead(of path: Path, from source: ReadSource, _ body: @escaping (RESTCall) -> Void) {
    let principal = caller.principal
    guard principal.isDebugging, !principal.isAdministrator else { return body(self) }
    let state = source.state
    let read = ReadRequest(
      path: path, root: state.root, auth: principal.auth, nowMilliseconds: now.wallMilliseconds,
      query: request.wantsEvents ? request.query : request.queryForRules)
    services.pool.read(on: hub.loop, for: poolClient) {
      state.rules.withExpressions.traced(.read(read), stepsMax: RulesLimits.explainStepsMax)
    } completion: { decision in
      guard let decision = decision ?? nil else { return body(self) }
      body(explaining(Explanation(operation: "read", path: path, decision: decision)))
    }
  }

  /// Returns the same call, with an explanation in its response.
  func explaining(_ explanation: Explanation) -> RESTCall {
    var call = self
    let completion = completion
    let header = (name: "X-Firebase-Auth-Debug", value: Self.printable(explanation.line))
    call.completion = { response in
      var response = response
      response.headers.append(header)
      completion(response)
    }
    return call
  }

  /// Returns a text in plain ASCII, as headers need it; paths and rules contain any text.
  private static func printable(_ text: String) -> String {
    let bytes = text.utf8.prefix(sizeBytesMax).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
