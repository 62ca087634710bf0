import HearthAccounts
import HearthTree

/// The form in which a browser brings a provider's answer: one of SAML, or a code by OAuth 2.0 Form Post Response Mode.
struct FormPostCallback: Sendable {
  let page: HandlerPage

  /// The marker of a form that this server's own page has submitted again.
  private static let mark = "hearth"
  private static let fieldsMax = 16
  /// The form's parameters that are passed on.
  private static let names = ["SAMLResponse", "RelayState", "state", "code", "error", "iss", "user"]

  func answer(_ request: IdentityRequest) async -> IdentityResponse {
    guard let fields = PercentEncoding.pairs(request.body), fields.count <= Self.fieldsMax,
      let parts = PageQuery.parts(fields)
    else { return HTMLPage.brokenStart.response }
    if let response = parts["SAMLResponse"], !response.isEmpty {
      return await SAMLAssertionConsumer(page: page).answer(response, parts, request)
    }
    guard parts["state"] != nil else { return HTMLPage.brokenStart.response }
    return await page.handleCallback(parts, request, withoutCookie: Self.withoutCookie(parts))
  }

  /// Returns the page for a form without the visit's cookie, as browsers send it from another site: it submits the form
  /// again, from a page of this origin, to the same path.
  static func withoutCookie(_ parts: [String: String]) -> HTMLPage {
    guard parts[mark] == nil else { return .foreignVisit }
    let fields = names.compactMap { name in parts[name].map { (name, $0) } } + [(mark, "1")]
    let content = fields.map {
      "<input type=\"hidden\" name=\"\($0.0)\" value=\"\(HTMLText.escaped($0.1))\">\n"
    }.joined()
    return HTMLPage(
      title: "Signing you in",
      content: "<form id=\"answer\" method=\"post\">\n" + content
        + "<noscript><button type=\"submit\">Continue</button></noscript>\n</form>\n",
      script: HandlerScripts.resubmit)
  }
}
