import HearthAccounts

/// The page for an app link that a browser opened instead of the app: it redirects to the link in the parameter `link`,
/// which has the action code.
struct AppLinkPage: Sendable {
  let links: ActionLinks

  func answer(_ request: IdentityRequest) -> IdentityResponse {
    guard request.method == "GET" || request.method == "HEAD" else { return HTMLPage.methodNotAllowed.response }
    let inside = request.query.filter { $0.name == "link" }
    guard inside.count == 1, let link = inside.first?.value, links.isOwnLink(link) else {
      return HTMLPage.brokenLink.response
    }
    var response = IdentityResponse(status: 303, body: [])
    response.isForBrowsers = true
    response.headers = [("Location", link), ("Referrer-Policy", "no-referrer")]
    return response
  }
}
