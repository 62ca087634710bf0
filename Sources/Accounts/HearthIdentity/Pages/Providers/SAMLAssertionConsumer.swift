import HearthAccounts
import HearthEngine
import HearthTree

/// The form that an identity provider's answer arrives in: SAML's assertion consumer service.
struct SAMLAssertionConsumer: Sendable {
  let page: HandlerPage
  private var endpoints: IdentityEndpoints { page.endpoints }
  private var accounts: Accounts { endpoints.accounts }

  /// - Parameters:
  ///   - response: the form's `SAMLResponse`.
  ///   - parts: the form.
  func answer(
    _ response: String, _ parts: [String: String], _ request: IdentityRequest
  ) async -> IdentityResponse {
    guard let state = parts["RelayState"], (1...128).contains(state.utf8.count),
      let origin = page.origin(of: request.host)
    else { return HTMLPage.foreignVisit.response }
    let cookie = VisitCookie(state: state, isSecure: origin.hasPrefix("https://"))
    guard let visitText = cookie.text(in: request.cookie) else { return FormPostCallback.withoutCookie(parts).response }
    var answer = await handleResponse(visitText, state: state, response: response, origin: origin, request).response
    answer.headers.append(cookie.deletionHeader)
    return answer
  }

  private func handleResponse(
    _ visitText: String, state: String, response: String, origin: String, _ request: IdentityRequest
  ) async -> HTMLPage {
    let visit: SAMLPages.Visit
    do throws(ProviderPages.CallbackError) {
      visit = try accounts.signIn.samlPages.visit(visitText, state: state, now: request.now)
    } catch {
      return error == .expired ? .lateVisit : .foreignVisit
    }
    guard origin + request.path == visit.consumerURL else { return .foreignVisit }
    guard let target = HandlerPage.Target(memo: visit.memo, origin: origin) else { return .foreignVisit }
    do throws(AccountError) {
      let targetAccounts = try await endpoints.targetAccounts(ofTenant: visit.tenantID)
      let outcome = try await targetAccounts.signIn.samlPages.answer(
        visit, response: response, client: request.client, now: request.now)
      switch outcome {
      case .denied(let reason):
        return page.page(target, .error(code: "auth/user-cancelled", message: reason), now: request.now)
      case .authenticated(let sessionID):
        return page.page(
          target, .answer(url: SAMLPages.address(of: visit), sessionID: sessionID), now: request.now)
      }
    } catch {
      guard !error.isTransient else { return .overloaded }
      return page.page(target, HandlerPage.outcome(error), now: request.now)
    }
  }
}
