import HearthEngine
import HearthRules
import HearthTree

/// What the rules said, for callers whose credential asks for it: in the header `X-Firebase-Auth-Debug`.
extension RESTHandler {
  /// Bytes of an explanation: proxies and clients refuse headers that are much longer.
  private static let sizeBytesMax = 4_096

  /// The same context, with an explanation of the read on its answer when the caller is to have one.
  func explaining(_ context: Context, _ path: Path, _ source: ReadSource) -> Context {
    let principal = context.caller.principal
    guard principal.isDebugging, !principal.isAdministrator else { return context }
    let state = source.state
    let request = ReadRequest(
      path: path, root: state.root, auth: principal.auth, nowMilliseconds: context.now.wallMilliseconds,
      query: context.request.wantsEvents ? context.request.query : context.request.queryForRules)
    let limit = RulesLimits.explainStepsMax
    guard let decision = state.rules.withExpressions.traced(.read(request), stepsMax: limit) else { return context }
    return explaining(context, Explanation(operation: "read", path: path, decision: decision))
  }

  func explaining(_ context: Context, _ explanation: Explanation) -> Context {
    var context = context
    let completion = context.completion
    let header = (name: "X-Firebase-Auth-Debug", value: Self.printable(explanation.line))
    context.completion = { response in
      var response = response
      response.headers.append(header)
      completion(response)
    }
    return context
  }

  /// Paths and rules hold any text, a header plain ASCII.
  private static func printable(_ text: String) -> String {
    let bytes = text.utf8.prefix(sizeBytesMax).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
