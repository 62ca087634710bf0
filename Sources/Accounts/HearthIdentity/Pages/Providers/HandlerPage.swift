import HearthAccounts
import HearthEngine
import HearthTree

/// The page that SDKs open for a sign-in on a provider's own page: it sends the browser there, and passes the result to
/// the app.
struct HandlerPage: Sendable {
  let endpoints: IdentityEndpoints
  private var accounts: Accounts { endpoints.accounts }

  func answer(_ request: IdentityRequest) async -> IdentityResponse {
    if request.method == "POST" || request.parameter("state") != nil { return await handleProviderResponse(request) }
    guard request.method == "GET" else { return HTMLPage.methodNotAllowed.response }
    if NativeRequest.isNativeRequest(request.query) { return await NativePages(page: self).answer(request) }
    guard let handlerRequest = HandlerRequest(request.query) else { return HTMLPage.brokenStart.response }
    guard accounts.configuration.apiKeys?.contains(handlerRequest.apiKey) ?? true else {
      return HTMLPage.unknownKey.response
    }
    let targetAccounts: Accounts
    do throws(AccountError) {
      targetAccounts = try await endpoints.targetAccounts(
        ofTenant: handlerRequest.tenantID, isFromLoopback: request.isFromLoopback)
    } catch {
      return HTMLPage.noTenant.response
    }
    guard accounts.changes.codes.links.isAllowedContinueURL(handlerRequest.redirectURL) else {
      let host = ContinueURL(handlerRequest.redirectURL)?.host ?? "It"
      return HTMLPage.foreignApp(host).response
    }
    let target = Target.web(HandlerEvent(handlerRequest))
    if accounts.emulator(isFromLoopback: request.isFromLoopback) != nil {
      return EmulatorHandlerPage(accounts: targetAccounts, providerID: handlerRequest.providerID, target: target).page
        .response
    }
    guard let origin = origin(of: request.host) else {
      return HTMLPage.otherDomain(accounts.configuration.pageOrigins).response
    }
    guard !handlerRequest.kind.isRedirect || handlerRequest.redirectURL.utf8.count <= HandlerRequest.redirectURLBytesMax
    else {
      return HTMLPage.longAddress.response
    }
    let start = AuthorizationStart(
      providerID: handlerRequest.providerID, scopes: handlerRequest.scopes, parameters: handlerRequest.parameters,
      memo: handlerRequest.memo,
      isReauthentication: handlerRequest.kind.isReauthentication, target: target)
    return await redirectToProvider(start, origin: origin, to: targetAccounts, now: request.now)
  }

  /// Handles a provider's answer, which a browser brings in the query or in a posted form. The redirect URI of a single provider
  /// serves only this.
  func handleProviderResponse(_ request: IdentityRequest) async -> IdentityResponse {
    switch request.method {
    case "POST": return await FormPostCallback(page: self).answer(request)
    case "GET":
      guard let parts = PageQuery.parts(request.query) else { return HTMLPage.brokenStart.response }
      return await handleCallback(parts, request)
    default: return HTMLPage.methodNotAllowed.response
    }
  }

  /// The receiver of a visit's result.
  enum Target: Sendable {
    /// The SDK in a page.
    case web(HandlerEvent)
    /// An app on a device, and the return to it.
    case native(NativeEvent, NativeAppLink)

    /// Reads the memo of a visit; nil for an invalid text.
    init?(memo: String, origin: String) {
      if let event = HandlerEvent(memo: memo) {
        self = .web(event)
      } else if let event = NativeEvent(memo: memo) {
        let appLink = NativeAppLink(app: event.app, authType: event.authType, eventID: event.eventID, origin: origin)
        self = .native(event, appLink)
      } else {
        return nil
      }
    }
  }

  // MARK: Start

  /// The start of a visit to a provider's page.
  struct AuthorizationStart: Sendable {
    var providerID: String
    var scopes: [String]
    var parameters: [String: String]
    /// The data that a visit stores for the return.
    var memo: String
    var isReauthentication: Bool
    var target: Target
  }

  /// Sends a browser to a provider.
  ///
  /// - Parameter origin: the origin under which the browser opened this page.
  func redirectToProvider(
    _ start: AuthorizationStart, origin: String, to targetAccounts: Accounts, now: Instant
  ) async -> IdentityResponse {
    do throws(AccountError) {
      let redirect = try await authorizationRedirect(for: start, in: targetAccounts, origin: origin, now: now)
      guard redirect.visit.utf8.count <= Self.cookieBytesMax else { return HTMLPage.longAddress.response }
      let cookie = VisitCookie(state: redirect.state, isSecure: origin.hasPrefix("https://"))
      var response = HTMLPage(
        title: "Going to the sign-in page", content: HTMLPage.paragraph("Your browser should open it automatically."),
        status: 303
      ).response
      response.headers += [
        ("Location", redirect.url), cookie.setHeader(redirect.visit, seconds: ProviderPages.visitSeconds),
      ]
      return response
    } catch {
      // The app waits for the error.
      return page(start.target, Self.outcome(error), now: now).response
    }
  }

  private func authorizationRedirect(
    for start: AuthorizationStart, in targetAccounts: Accounts, origin: String, now: Instant
  ) async throws(AccountError) -> ProviderPages.AuthorizationRedirect {
    if SAMLPages.serves(start.providerID) {
      return try targetAccounts.signIn.samlPages.beginAuthorization(
        to: start.providerID, consumerURL: RedirectURI.shared(origin: origin), memo: start.memo,
        forcesAuthentication: start.isReauthentication, now: now)
    }
    return try await targetAccounts.signIn.providerPages.beginAuthorization(
      to: start.providerID, origin: origin, scopes: start.scopes,
      parameters: start.parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
      memo: start.memo, now: now)
  }

  /// The size limit for a cookie: browsers truncate at 4,096 bytes, name and attributes included.
  private static let cookieBytesMax = 3_900

  /// The origin under which the browser opened the page: one of the configured ones, never an arbitrary `Host`.
  func origin(of host: String) -> String? {
    accounts.configuration.pageOrigins.first { origin in
      guard let name = ContinueURL(origin)?.host else { return false }
      return name == host || name == "[\(host)]"
    }
  }

  /// The outcome that the app gets for an error before the sign-in.
  static func outcome(_ error: AccountError) -> HandlerEvent.Outcome {
    switch error.code {
    case .operationNotAllowed:
      .error(
        code: "auth/operation-not-allowed",
        message: "This provider has no sign-in page: it is not configured, is disabled, or has no client secret.")
    default: .error(code: "auth/internal-error", message: error.message)
    }
  }

  // MARK: Callback

  /// - Parameters:
  ///   - parts: the provider's parameters from the browser.
  ///   - pageWithoutCookie: the page for a browser without the visit's cookie.
  func handleCallback(
    _ parts: [String: String], _ request: IdentityRequest, withoutCookie pageWithoutCookie: HTMLPage = .foreignVisit
  ) async -> IdentityResponse {
    guard let state = parts["state"], (1...128).contains(state.utf8.count), let origin = origin(of: request.host) else {
      return HTMLPage.foreignVisit.response
    }
    let cookie = VisitCookie(state: state, isSecure: origin.hasPrefix("https://"))
    guard let visit = cookie.text(in: request.cookie) else { return pageWithoutCookie.response }
    var response: IdentityResponse
    do throws(ProviderPages.CallbackError) {
      let callback = try accounts.signIn.providerPages.verifyCallback(
        visit, state: state, issuer: parts["iss"], at: origin + request.path, now: request.now)
      response = page(of: callback, parts, state: state, origin: origin, now: request.now).response
    } catch {
      switch error {
      case .unknownVisit: response = HTMLPage.foreignVisit.response
      case .expired: response = HTMLPage.lateVisit.response
      case .otherIssuer(let visit): response = await otherIssuer(visit, origin: origin, request).response
      }
    }
    response.headers.append(cookie.deletionHeader)
    return response
  }

  /// Reports to the app, and records, that the answer is another provider's than the one that was asked.
  private func otherIssuer(
    _ visit: ProviderPages.OtherIssuer, origin: String, _ request: IdentityRequest
  ) async -> HTMLPage {
    let targetAccounts = (try? await endpoints.targetAccounts(ofTenant: visit.tenantID)) ?? accounts
    await targetAccounts.signIn.providers.noteRefused(
      by: visit.providerID, "another issuer's answer", client: request.client, now: request.now)
    guard let target = Target(memo: visit.memo, origin: origin) else { return .foreignVisit }
    return page(
      target, .error(code: "auth/internal-error", message: ProviderPages.OtherIssuer.reason), now: request.now)
  }

  private func page(
    of callback: ProviderPages.Callback, _ parts: [String: String], state: String, origin: String, now: Instant
  ) -> HTMLPage {
    guard let target = Target(memo: callback.memo, origin: origin) else { return .foreignVisit }
    if let error = parts["error"], !error.isEmpty {
      // RFC 6749 §4.1.2.1, Facebook, Apple: the user declined.
      guard !["access_denied", "user_cancelled_login", "user_cancelled_authorize"].contains(error) else {
        return page(
          target, .error(code: "auth/user-cancelled", message: "The user cancelled on the provider's page."),
          now: now)
      }
      return page(
        target,
        .error(
          code: "auth/internal-error", message: "The provider returned the error \(Self.line(error)) instead of a code."
        ),
        now: now)
    }
    guard let code = parts["code"], !code.isEmpty else {
      return page(
        target, .error(code: "auth/internal-error", message: "The provider returned no code."), now: now)
    }
    do throws(AccountError) {
      let session = try accounts.signIn.providerPages.sessionID(
        for: callback, code: code, userData: parts["user"], now: now)
      let url =
        callback.redirectURI + "?state=\(PercentEncoding.encode(state))&code=\(PercentEncoding.encode(code))"
      return page(target, .answer(url: url, sessionID: session), now: now)
    } catch {
      return .overloaded
    }
  }

  private static func line(_ text: String) -> String {
    String(text.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) ? $0 : "?" })
  }

  /// Returns the page that passes a visit's outcome to its receiver.
  func page(_ target: Target, _ outcome: HandlerEvent.Outcome, now: Instant) -> HTMLPage {
    switch target {
    case .web(let event): page(event, outcome)
    case .native(let event, let appLink): NativePages(page: self).page(of: event, outcome, appLink, now: now)
    }
  }

  private func page(_ event: HandlerEvent, _ outcome: HandlerEvent.Outcome) -> HTMLPage {
    HTMLPage(
      title: "Signing you in",
      content: HTMLPage.eventMarkup(event.text(outcome)) + HTMLPage.deliveryMarkup(isWaiting: true),
      script: HandlerScripts.callback)
  }
}

// MARK: Page content

extension HTMLPage {
  static func eventMarkup(_ text: String, provider: String = "") -> String {
    "<div id=\"event\" data-event=\"\(HTMLText.escaped(text))\" data-provider=\"\(HTMLText.escaped(provider))\" hidden></div>\n"
  }

  /// The markup that is shown while the app is notified, and when that fails.
  static func deliveryMarkup(isWaiting: Bool) -> String {
    """
    <noscript><p class="problem">This page needs JavaScript.</p></noscript>
    <p id="waiting"\(isWaiting ? "" : " hidden")>Returning to the app. This takes a moment.</p>
    <p id="lost" hidden>You are not signed in, because this window lost its connection to the app. Close it, go back to \
    the app, and sign in again there.</p>

    """
  }

  static let brokenStart = HTMLPage(
    title: "This page opens from an app",
    content: paragraph(
      "Apps open this page for a sign-in, with parameters in the URL. Some of them are missing or invalid. Go "
        + "back to the app and sign in there."), status: 400)

  static let unknownKey = HTMLPage(
    title: "Unknown app",
    content: paragraph("The app's API key is not valid for this server: see apiKeys in the server's settings."),
    status: 403)

  static let noTenant = HTMLPage(
    title: "This sign-in is not possible",
    content: paragraph("The app names a tenant that does not exist, or that has sign-in disabled."), status: 400)

  static let longAddress = HTMLPage(
    title: "The app's address is too long",
    content: paragraph(
      "The page that requested the sign-in has a URL of more than \(HandlerRequest.redirectURLBytesMax) bytes, so "
        + "you could not return to it. Open the app's first page and sign in there."), status: 400)

  static let foreignVisit = HTMLPage(
    title: "This sign-in was not started here",
    content: paragraph(
      "It was started in another browser, or has ended. Nothing was changed. Go back to the app and sign in again."
    ),
    status: 400)

  static let lateVisit = HTMLPage(
    title: "This took too long",
    content: paragraph("A sign-in must be completed within ten minutes. Go back to the app and sign in again."),
    status: 400)

  static func foreignApp(_ host: String) -> HTMLPage {
    HTMLPage(
      title: "This app cannot sign in users here",
      content: paragraph(
        "\(host) is not an authorized domain of this server. If it is your app, add it to authorizedDomains in the server's "
          + "settings."), status: 403)
  }

  static func otherDomain(_ origins: [String]) -> HTMLPage {
    HTMLPage(
      title: "This page is not served under this host name",
      content: paragraph(
        "It is served at \(origins.joined(separator: ", ")). If the app's authDomain is intentionally different, add that name "
          + "to pageDomains in the server's settings."), status: 421)
  }
}
