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
    let decision = state.rules.decideRead(
      ReadRequest(
        path: path, root: state.root, auth: principal.auth, nowMilliseconds: context.now.wallMilliseconds,
        query: context.request.wantsEvents ? context.request.query : context.request.queryForRules),
      detail: .trace)
    return explaining(context, Self.explanation(of: decision, "read \(path)"))
  }

  func explaining(_ context: Context, _ text: String) -> Context {
    var context = context
    let completion = context.completion
    let header = (name: "X-Firebase-Auth-Debug", value: Self.printable(text))
    context.completion = { response in
      var response = response
      response.headers.append(header)
      completion(response)
    }
    return context
  }

  private static func explanation(of decision: Decision, _ request: String) -> String {
    let outcome = decision.isAllowed ? "allowed" : "denied"
    guard !decision.visited.isEmpty else { return "\(request) was \(outcome): no rule applies" }
    let visits = decision.visited.map { visit in
      switch visit.result {
      case .value(let value): "\(visit.rule) => \(value)"
      case .error(let error): "\(visit.rule) => \(error.message)"
      }
    }
    return "\(request) was \(outcome): " + visits.joined(separator: "; ")
  }

  /// Paths and rules hold any text, a header plain ASCII.
  private static func printable(_ text: String) -> String {
    let bytes = text.utf8.prefix(sizeBytesMax).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
