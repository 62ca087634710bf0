import HearthEngine
import HearthTree

/// Requires a captcha token before an action that costs money.
struct CaptchaCheck: Sendable {
  let context: AccountsContext

  /// Checks the captcha token of a request. The service accepts each token once.
  ///
  /// - Parameter showsAttestation: the request has an attestation of an app's operating system, which this server cannot verify;
  ///   SDKs open the page with the widget when they get the error code of this case.
  /// - Throws: `missingAppCredential` without a token, or `invalidAppCredential` beside an attestation; `captchaCheckFailed` when
  ///   the service rejects the token; `tooManyAttempts` for a network with many rejected tokens; `unavailable` when the service
  ///   does not answer.
  func require(
    _ token: String?, showsAttestation: Bool = false, client: ClientInfo, now: Instant
  ) async throws(AccountError) {
    guard let settings = context.configuration.phone.captcha else { return }
    guard let token else {
      if showsAttestation {
        throw AccountError(
          .invalidAppCredential, "This server only accepts the token of a \(settings.service.rawValue) widget.")
      }
      throw AccountError(.missingAppCredential, "The token of a \(settings.service.rawValue) widget is missing.")
    }
    guard context.throttle.admitCredential(address: client.address, now: now) else {
      throw AccountError(.tooManyAttempts, "Too many refused credentials from your network. Try again later.")
    }
    RequestRetryTracker.current?.noteChange()
    let form = [(name: "secret", value: settings.secret), (name: "response", value: token)]
    guard let service = context.server.environment.captchas,
      let body = await service.ask(settings.verifyURL, form: form), let answer = JSON(parsing: body),
      let isSuccess = answer["success"]?.bool
    else {
      context.notice(
        AccountsNotice(.error, "the captcha service at \(settings.verifyURL) returned an unexpected response"))
      throw AccountError(.unavailable)
    }
    guard isSuccess, admits(answer, settings) else {
      // An error in this server's own settings is reported to its operator.
      let codes = (answer["error-codes"]?.array ?? []).compactMap(\.string)
      if codes.contains(where: { $0.hasSuffix("-secret") }) {
        context.notice(AccountsNotice(.error, "the captcha service refused the secret in phone.captcha"))
      }
      context.throttle.credentialRefused(address: client.address, now: now)
      throw AccountError(.captchaCheckFailed)
    }
  }

  private func admits(_ answer: JSON, _ settings: CaptchaSettings) -> Bool {
    if !settings.hostnames.isEmpty {
      // The hosts of this server's own pages, which native apps open.
      let own = context.configuration.pageOrigins.compactMap { ContinueURL($0)?.host }
      guard let host = answer["hostname"]?.string?.lowercased(), (settings.hostnames + own).contains(host) else {
        return false
      }
    }
    switch answer["score"] {
    case .double(let score)?: return score * 100 >= Double(settings.scoreMin)
    case .int(let score)?: return score >= 1 || settings.scoreMin == 0
    default: return true
    }
  }
}
