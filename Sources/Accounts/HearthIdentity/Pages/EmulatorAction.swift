import HearthAccounts
import HearthTree

/// The emulator's handling of a mailed link: at once and with a JSON response, because test suites follow links and
/// submit no forms. For programs of this machine only; other clients get the page with the form.
struct EmulatorAction: Sendable {
  static let path = "/emulator/action"
  /// The placeholder for the password in a displayed link.
  private static let passwordPlaceholder = "NEW_PASSWORD_HERE"

  private let calls: ActionCalls

  /// Reads an emulator's request; nil when it is for the pages.
  init?(_ calls: ActionCalls) {
    let request = calls.request
    guard calls.endpoints.accounts.configuration.isEmulator, request.path == Self.path, request.method == "GET",
      request.isFromLoopback, !request.query.isEmpty || request.queryText.isEmpty
    else { return nil }
    self.calls = calls
  }

  func perform() async -> IdentityResponse {
    for name in ["apiKey", "oobCode"] where text(name) == nil {
      return refused("missing \(name) query parameter", "Put &\(name)=... into the URL.")
    }
    guard let form = ActionForm(calls.request.query, isForm: true) else { return refused("Invalid mode") }
    if form.mode == .signIn { return signIn(form) }
    let code = JSON.Member("oobCode", .string(form.code))
    // A code performs the action that it was made for, whatever the link's mode.
    guard case .done(let purpose) = await calls.call("accounts:resetPassword", [code]),
      purpose["requestType"]?.string == form.mode.requestType
    else { return refused("The code has expired, was already used, or has another purpose.", "Request a new one.") }
    let answer: ActionCalls.Answer
    if form.mode == .resetPassword {
      guard let password = form.newPassword, !password.isEmpty, password != Self.passwordPlaceholder else {
        return wantsPassword(purpose)
      }
      answer = await calls.call("accounts:resetPassword", [code, .init("newPassword", .string(password))])
    } else {
      answer = await calls.call("accounts:update", [code])
    }
    switch answer {
    case .done(let reply): return done(form, reply)
    case .refused(let code, let detail): return refused(detail.isEmpty ? code : "\(code) : \(detail)")
    }
  }

  // MARK: Answers

  private func done(_ form: ActionForm, _ reply: JSON) -> IdentityResponse {
    if let url = form.continueURL, calls.endpoints.accounts.changes.codes.links.isAllowedContinueURL(url) {
      return redirect(url)
    }
    let (text, member) =
      switch form.mode {
      case .resetPassword: ("The password has been successfully updated.", "email")
      case .verifyEmail: ("The email has been successfully verified.", "email")
      case .verifyAndChangeEmail: ("The email has been successfully changed.", "newEmail")
      case .recoverEmail: ("The email has been successfully reset.", "email")
      case .revertSecondFactorAddition: ("The second factor has been successfully removed.", "email")
      case .revertChange: ("The change has been successfully reverted.", "email")
      case .signIn: ("", "email")
      }
    // After a change the address of the account is the new one.
    let email = reply[member] ?? reply["email"] ?? .null
    return response(200, [.init("success", .string(text)), .init(member, email)])
  }

  /// Redirects to the app at the continue URL, which signs in with the code.
  private func signIn(_ form: ActionForm) -> IdentityResponse {
    guard let url = form.continueURL else {
      return refused("Missing continueUrl query parameter", "Put &continueUrl=YOUR_APP_URL into the link.")
    }
    guard calls.endpoints.accounts.changes.codes.links.isAllowedContinueURL(url) else {
      return refused("continueUrl must be an absolute URL", "For example http://localhost:5000/done.")
    }
    return redirect(form.finishURL(url))
  }

  private func wantsPassword(_ purpose: JSON) -> IdentityResponse {
    let origin = calls.endpoints.accounts.configuration.publicURL
    let parameters = calls.request.queryText.split(separator: "&")
      .filter { !$0.hasPrefix("newPassword=") }
    let template = "\(origin)\(Self.path)?\(parameters.joined(separator: "&"))&newPassword=\(Self.passwordPlaceholder)"
    return refused(
      "missing newPassword query parameter", "Get this URL, with the password for \(purpose["email"]?.string ?? "").",
      [.init("urlTemplate", .string(template))])
  }

  private func refused(
    _ error: String, _ instructions: String? = nil, _ more: [JSON.Member] = []
  ) -> IdentityResponse {
    let hint = instructions.map { [JSON.Member("instructions", .string($0))] } ?? []
    return response(400, [.init("error", .string(error))] + hint + more)
  }

  private func response(_ status: Int, _ members: [JSON.Member]) -> IdentityResponse {
    IdentityResponse(.object([.init("authEmulator", .object(members))]), status: status)
  }

  private func redirect(_ url: String) -> IdentityResponse {
    var response = IdentityResponse(status: 303, body: [])
    response.headers = [("Location", url)]
    return response
  }

  private func text(_ name: String) -> String? {
    calls.request.query.first { $0.name == name && !$0.value.isEmpty }?.value
  }
}
