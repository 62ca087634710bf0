import HearthAccounts
import HearthEngine
import HearthTree

/// The pages that native apps open: the captcha before text messages, and sign-in at providers.
struct NativePages: Sendable {
  let page: HandlerPage
  private var endpoints: IdentityEndpoints { page.endpoints }
  private var accounts: Accounts { endpoints.accounts }

  /// The placeholder token of a server without a captcha service; it is not verified.
  private static let noToken = "no-captcha-is-asked-for"

  func answer(_ request: IdentityRequest) async -> IdentityResponse {
    guard let nativeRequest = NativeRequest(request.query) else { return HTMLPage.brokenStart.response }
    let settings = accounts.configuration
    guard settings.apiKeys?.contains(nativeRequest.apiKey) ?? true else { return HTMLPage.unknownKey.response }
    guard let origin = page.origin(of: request.host) else { return HTMLPage.otherDomain(settings.pageOrigins).response }
    // An emulator's own machine may use any app, and there are no users to protect.
    let isEmulated = accounts.emulator(isFromLoopback: request.isFromLoopback) != nil
    if !isEmulated, let refusal = refusal(of: nativeRequest.app) { return refusal.response }
    let targetAccounts: Accounts
    do throws(AccountError) {
      targetAccounts = try await endpoints.targetAccounts(
        ofTenant: nativeRequest.tenantID, isFromLoopback: request.isFromLoopback)
    } catch {
      return HTMLPage.noTenant.response
    }
    let appLink = NativeAppLink(
      app: nativeRequest.app, authType: nativeRequest.authType, eventID: nativeRequest.eventID, origin: origin)
    guard let event = NativeEvent(nativeRequest) else { return captcha(nativeRequest, appLink).response }
    if isEmulated {
      return EmulatorHandlerPage(
        accounts: targetAccounts, providerID: event.providerID, target: .native(event, appLink)
      ).page
        .response
    }
    let start = HandlerPage.AuthorizationStart(
      providerID: event.providerID, scopes: nativeRequest.scopes, parameters: nativeRequest.parameters,
      memo: event.memo,
      isReauthentication: nativeRequest.authType.hasPrefix("reauth"), target: .native(event, appLink))
    return await page.redirectToProvider(start, origin: origin, to: targetAccounts, now: request.now)
  }

  /// Returns the page that refuses to open an unregistered app; nil when it may be opened.
  private func refusal(of app: NativeApp) -> HTMLPage? {
    do throws(NativeApps.Refusal) {
      try app.check(accounts.configuration)
      return nil
    } catch {
      return if case .loopback = app { .foreignApp(app.id) } else { .foreignNativeApp(app, error) }
    }
  }

  private func captcha(_ nativeRequest: NativeRequest, _ appLink: NativeAppLink) -> HTMLPage {
    let settings = accounts.configuration
    guard settings.sendsPhoneCodes || settings.isEmulator else {
      return .back(
        to: appLink.address(
          errorCode: "auth/operation-not-allowed", message: "This server cannot send codes to phones."))
    }
    guard let captcha = settings.phone.captcha else { return .back(to: appLink.address(captchaToken: Self.noToken)) }
    return .captcha(CaptchaWidget(settings: captcha, language: nativeRequest.language), appLink)
  }

  /// Returns the page that opens the app which waits for the outcome of a visit to a provider.
  func page(
    of event: NativeEvent, _ outcome: HandlerEvent.Outcome, _ appLink: NativeAppLink, now: Instant
  ) -> HTMLPage {
    // The settings may have changed since the visit began. An emulator has checked the caller at its beginning.
    if !accounts.configuration.isEmulator, let refusal = refusal(of: event.app) { return refusal }
    switch outcome {
    case .error(let code, let message): return .back(to: appLink.address(errorCode: code, message: message))
    case .open: return .brokenStart
    case .answer(let url, let sessionID):
      let answer = NativeAnswers.Answer(providerID: event.providerID, url: url, sessionID: sessionID)
      do throws(AccountError) {
        let sealed = try accounts.signIn.nativeAnswers.seal(answer, digest: event.digest, now: now)
        return .back(to: appLink.address(link: appLink.link(answer: sealed)))
      } catch {
        return .overloaded
      }
    }
  }
}

// MARK: Page content

extension HTMLPage {
  /// Returns the page that opens the app at an address.
  static func back(to address: String) -> HTMLPage {
    HTMLPage(
      title: "Back to the app",
      content: paragraph("If the app does not open by itself, open it here.") + backLink(address),
      script: NativeScripts.back)
  }

  private static func backLink(_ address: String) -> String {
    "<p><a id=\"back\" class=\"button\" href=\"\(HTMLText.escaped(address))\">Open the app</a></p>\n"
  }

  /// The page with a captcha widget, which then opens the app.
  static func captcha(_ widget: CaptchaWidget, _ appLink: NativeAppLink) -> HTMLPage {
    let (before, callback, after) = appLink.captchaParts
    let parts = JSON.object([
      .init("before", .string(before)), .init("callback", .string(callback)), .init("after", .string(after)),
    ])
    let failed = appLink.address(
      errorCode: "auth/network-request-failed", message: "The captcha did not load in the browser.")
    func data(_ name: String, _ value: String) -> String { " data-\(name)=\"\(HTMLText.escaped(value))\"" }
    return HTMLPage(
      title: "Confirm that you are human",
      content: paragraph(
        "The app asks to send you a text message. To prevent abuse, complete this check first.")
        + "<div id=\"captcha\"" + data("way", String(decoding: parts.text(), as: UTF8.self))
        + data("object", widget.object) + data("kind", widget.settings.widget.rawValue)
        + data("key", widget.settings.siteKey) + "></div>\n"
        + "<div id=\"failed\" hidden>\n"
        + "<p class=\"problem\">The check cannot be shown. Make sure that the device is online, then try again.</p>\n"
        + "<p><a class=\"button\" href=\"\(HTMLText.escaped(failed))\">Back to the app</a></p>\n</div>\n"
        + "<div id=\"done\" hidden>\n" + paragraph("Thank you. If the app does not open by itself, open it here.")
        + backLink("#") + "</div>\n"
        + "<noscript><p class=\"problem\">This page needs JavaScript.</p></noscript>\n",
      script: NativeScripts.captcha, widget: widget)
  }

  static func foreignNativeApp(_ app: NativeApp, _ refusal: NativeApps.Refusal) -> HTMLPage {
    let place = if case .ios = app { "nativeApps.ios" } else { "nativeApps.android" }
    let what =
      switch refusal {
      case .unknownApp: "The server does not know \(app.id), or the app id that it sent."
      case .unknownClient: "The client id that \(app.id) sent is not registered for the app."
      case .unknownCertificate: "\(app.id) is signed with a certificate that is not registered for the app."
      }
    return HTMLPage(
      title: "This app cannot sign in users here",
      content: paragraph("\(what) If it is your app, add it to \(place) in the server's settings."), status: 403)
  }
}
