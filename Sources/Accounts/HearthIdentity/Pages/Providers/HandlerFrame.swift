import HearthAccounts
import HearthBytes

/// The frame that an SDK puts into the app's page, to be told there what came of a visit to a provider.
///
/// It speaks to the page around it through Google's frame library, as the SDK does. Only pages of the authorised domains
/// may have it in them: the browser sees to that, by the policy.
struct HandlerFrame: Sendable {
  let accounts: Accounts

  func answer(_ request: IdentityRequest) -> IdentityResponse {
    guard request.method == "GET" || request.method == "HEAD" else { return HTMLPage.methodNotAllowed.response }
    let text = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <title>Sign-in</title>
      </head>
      <body>
      <script>\(HandlerScripts.frame)</script>
      <script src="\(HandlerScripts.library)"></script>
      </body>
      </html>

      """
    var response = IdentityResponse(contentType: "text/html; charset=utf-8", body: Array(text.utf8))
    response.isForPeople = true
    response.headers = [
      ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
      ("X-Robots-Tag", "noindex"),
    ]
    return response
  }

  private var policy: String {
    "default-src 'none'; script-src \(HTMLPage.hash(of: HandlerScripts.frame)) https://apis.google.com; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors \(Self.ancestors(accounts.configuration))"
  }

  /// Who may have the frame in a page: what a continue URL may lead to, in clear only on the reader's own machine, where
  /// nobody else can write into pages.
  static func ancestors(_ configuration: AccountsConfiguration) -> String {
    // A suite's pages have whatever address; there is nobody to lead astray.
    if configuration.isEmulator { return "http: https:" }
    var sources = ["'self'"]
    let own = configuration.pageOrigins.compactMap { ContinueURL($0) }
    for host in configuration.authorizedDomains + own.map(\.host) {
      guard let host = ContinueURL("https://" + host)?.host else { continue }
      var added = ["https://\(host):*"]
      if IPAddress.isLoopback(host: host) { added.append("http://\(host):*") }
      for source in added where !sources.contains(source) { sources.append(source) }
    }
    if own.first?.scheme == "http", let host = own.first?.host, !IPAddress.isLoopback(host: host) {
      sources.append("http://\(host):*")
    }
    return sources.joined(separator: " ")
  }
}
