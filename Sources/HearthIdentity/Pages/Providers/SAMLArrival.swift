import HearthAccounts
import HearthEngine
import HearthTree

/// The form with which an identity provider sends a browser back: SAML's assertion consumer service.
struct SAMLArrival: Sendable {
  let page: HandlerPage
  private var endpoints: IdentityEndpoints { page.endpoints }
  private var accounts: Accounts { endpoints.accounts }

  /// Marks a form that this server's own page has sent on.
  private static let mark = "hearth"

  func answer(_ request: IdentityRequest) async -> IdentityResponse {
    guard let fields = PercentEncoding.pairs(request.body), fields.count <= 16 else {
      return HTMLPage.brokenStart.response
    }
    var parts: [String: String] = [:]
    for field in fields {
      guard parts[field.name] == nil else { return HTMLPage.brokenStart.response }
      parts[field.name] = field.value
    }
    guard let response = parts["SAMLResponse"], !response.isEmpty else { return HTMLPage.brokenStart.response }
    guard let state = parts["RelayState"], (1...128).contains(state.utf8.count),
      let origin = page.origin(of: request.host)
    else { return HTMLPage.foreignVisit.response }
    let cookie = VisitCookie(state: state, isSecure: origin.hasPrefix("https://"))
    guard let kept = cookie.text(in: request.cookie) else {
      return parts[Self.mark] == nil
        ? Self.passingOn(response, state: state).response : HTMLPage.foreignVisit.response
    }
    var answer = await arrival(kept, state: state, response: response, request).response
    answer.headers.append(cookie.forgotten)
    return answer
  }

  private func arrival(_ kept: String, state: String, response: String, _ request: IdentityRequest) async -> HTMLPage {
    let visit: SAMLPages.Visit
    do throws(ProviderPages.ArrivalError) {
      visit = try accounts.samlPages.visit(kept, state: state, now: request.now)
    } catch {
      return error == .expired ? .lateVisit : .foreignVisit
    }
    guard let event = HandlerEvent(memo: visit.memo) else { return .foreignVisit }
    do throws(AccountError) {
      let home = try await endpoints.home(ofTenant: visit.tenantID)
      let outcome = try await home.samlPages.answer(
        visit, response: response, client: request.client, now: request.now)
      switch outcome {
      case .denied(let reason): return page.page(event, .error(code: "auth/user-cancelled", message: reason))
      case .person(let sessionID):
        return page.page(event, .answer(url: SAMLPages.address(of: visit), sessionID: sessionID))
      }
    } catch {
      guard !error.isTransient else { return .overloaded }
      return page.page(event, HandlerPage.outcome(error))
    }
  }

  /// Sends the same form from a page of this origin. The path stays what it is.
  private static func passingOn(_ response: String, state: String) -> HTMLPage {
    func field(_ name: String, _ value: String) -> String {
      "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTMLText.escaped(value))\">\n"
    }
    return HTMLPage(
      title: "Signing you in",
      content: "<form id=\"answer\" method=\"post\">\n" + field("SAMLResponse", response) + field("RelayState", state)
        + field(mark, "1") + "<noscript><button type=\"submit\">Go on</button></noscript>\n</form>\n",
      script: HandlerScripts.passOn)
  }
}
