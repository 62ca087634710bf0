import HearthAccounts
import HearthBytes

/// The frame that an SDK embeds into the app's page, to receive the outcome of a visit to a provider there.
///
/// It communicates with the enclosing page by Google's frame library, as the SDK does. Browsers let only pages of the
/// authorised domains embed it, by its content security policy.
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
    response.isForBrowsers = true
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

  /// The pages that may embed the frame: the allowed continue URLs, with plain http only on the reader's own machine,
  /// where no other host can inject content.
  static func ancestors(_ configuration: AccountsConfiguration) -> String {
    // A test suite's pages may have any address, and an emulator has no users to protect.
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
