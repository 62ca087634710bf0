import HearthAccounts

/// The page of a link for an app that no app opened: it redirects to the link inside, which has the code.
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
