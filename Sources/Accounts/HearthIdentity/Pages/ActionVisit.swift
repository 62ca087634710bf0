import HearthAccounts
import HearthTree

/// A single view of a page, or a submission of its form.
struct ActionVisit: Sendable {
  let form: ActionForm
  let path: String
  let calls: ActionCalls

  /// Returns the page with the button. The code is not consumed.
  func show(problem: String? = nil) async -> HTMLPage {
    switch await calls.call("accounts:resetPassword", [.init("oobCode", .string(form.code))]) {
    case .done(let reply) where reply["requestType"]?.string == form.mode.requestType:
      return page(reply, problem: problem)
    case .done: return .usedLink
    case .refused(let code, _): return Self.page(refusal: code)
    }
  }

  /// Executes the form's action.
  func perform() async -> HTMLPage {
    let code = JSON.Member("oobCode", .string(form.code))
    let answer: ActionCalls.Answer
    switch form.mode {
    case .signIn: return await show()
    case .resetPassword:
      guard let password = form.newPassword, !password.isEmpty else {
        return await show(problem: "Enter a new password.")
      }
      answer = await calls.call("accounts:resetPassword", [code, .init("newPassword", .string(password))])
    case .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition, .revertChange:
      // A code performs the action that it was made for; the page must not have described another.
      switch await calls.call("accounts:resetPassword", [code]) {
      case .done(let reply) where reply["requestType"]?.string == form.mode.requestType: break
      case .done: return .usedLink
      case .refused(let code, _): return Self.page(refusal: code)
      }
      let proof = form.factorCode.map { text -> JSON.Member in
        .init("totpVerificationInfo", .object([.init("verificationCode", .string(text))]))
      }
      answer = await calls.call("accounts:update", [code] + (proof.map { [$0] } ?? []))
    }
    switch answer {
    case .done: return donePage
    case .refused(let code, let detail) where code.hasPrefix("WEAK_PASSWORD") || code.hasPrefix("PASSWORD_DOES_NOT"):
      return await show(problem: detail.isEmpty ? "Choose a stronger password." : detail)
    case .refused("MISSING_CODE", _), .refused("INVALID_CODE", _):
      return await show(problem: "Enter the current code of your authenticator app, or a recovery code.")
    case .refused(let code, _): return Self.page(refusal: code)
    }
  }

  private static func page(refusal code: String) -> HTMLPage {
    switch code {
    case "": .overloaded
    case "TOO_MANY_ATTEMPTS_TRY_LATER":
      HTMLPage(
        title: "Please wait", content: HTMLPage.paragraph("Too many attempts. Try again later."),
        status: 429)
    case "EMAIL_EXISTS":
      HTMLPage(
        title: "The address is in use",
        content: HTMLPage.paragraph("Another account already uses this address. Nothing was changed."),
        status: 400)
    default: .usedLink
    }
  }
}

// MARK: Page content

extension ActionVisit {
  private var settings: AccountsConfiguration { calls.endpoints.accounts.configuration }

  private func page(_ reply: JSON, problem: String?) -> HTMLPage {
    let app = settings.mail.appName
    let email = reply["email"]?.string ?? "your address"
    let note =
      problem.map { "<p class=\"problem\">\(HTMLText.escaped($0))\($0.hasSuffix(".") ? "" : ".")</p>\n" } ?? ""
    switch form.mode {
    case .resetPassword:
      return HTMLPage(
        title: "Reset your password",
        content: HTMLPage.paragraph("Choose a new password for \(email) in \(app).") + note
          + formMarkup(
            """
            <label for="newPassword">New password</label>
            <input id="newPassword" name="newPassword" type="password" autocomplete="new-password" \
            minlength="\(settings.passwordPolicy.lengthMin)" required>

            """, button: "Save"))
    case .verifyEmail:
      return HTMLPage(
        title: "Confirm your address",
        content: HTMLPage.paragraph("Confirm that \(email) is yours, for \(app).") + note
          + formMarkup("", button: "Confirm"))
    case .verifyAndChangeEmail:
      let next = reply["newEmail"]?.string ?? "the new address"
      return HTMLPage(
        title: "Confirm your new address",
        content: HTMLPage.paragraph("Confirm that \(next) is yours. You will then sign in to \(app) with it.") + note
          + formMarkup("", button: "Confirm"))
    case .recoverEmail:
      return HTMLPage(
        title: "Restore your address",
        content: HTMLPage.paragraph(
          "Your address in \(app) was changed. If this was not you, restore \(email), and then reset your password."
        ) + note + formMarkup(factorField(reply), button: "Restore the old address"))
    case .revertSecondFactorAddition:
      return HTMLPage(
        title: "Remove the second step",
        content: HTMLPage.paragraph(
          "Two-step sign-in was added to your account (\(email)) in \(app). If this was not you, remove it, and then reset "
            + "your password. All devices are signed out."
        ) + note + formMarkup(factorField(reply), button: "Remove it"))
    case .revertChange:
      return HTMLPage(
        title: "Recover your account",
        content: HTMLPage.paragraph(
          "The sign-in methods of your account (\(email)) in \(app) were changed. If this was not you, undo the changes. "
            + "All devices are signed out, and a password that was set since then stops working, so reset your password."
        ) + note + formMarkup(factorField(reply), button: "Undo the changes"))
    case .signIn: return signInPage(app)
    }
  }

  /// The field for the second factor that the account had before the change.
  private func factorField(_ reply: JSON) -> String {
    guard reply["secondFactorRequired"] == .bool(true) else { return "" }
    return """
      <label for="factorCode">Code of your authenticator app, or a recovery code</label>
      <input id="factorCode" name="factorCode" autocomplete="one-time-code" required>

      """
  }

  /// The page that passes the code to the app at the continue URL, which signs in with it; only an allowed URL is used.
  private func signInPage(_ app: String) -> HTMLPage {
    guard let target = allowedContinueURL else {
      return HTMLPage(
        title: "Sign in", content: HTMLPage.paragraph("Open this link on the device where you started to sign in."))
    }
    return HTMLPage(
      title: "Sign in to \(app)",
      content: HTMLPage.paragraph("You are about to sign in.")
        + Self.linkMarkup(form.finishURL(target), text: "Continue"))
  }

  private var donePage: HTMLPage {
    let (title, text) =
      switch form.mode {
      case .resetPassword: ("Your password was changed", "You can now sign in with the new password.")
      case .verifyEmail: ("Your address is confirmed", "You can now return to the app.")
      case .verifyAndChangeEmail: ("Your address was changed", "You can now sign in with the new address.")
      case .recoverEmail:
        ("Your old address was restored", "If you did not change it yourself, reset your password now.")
      case .revertSecondFactorAddition:
        ("The second step was removed", "If you did not add it yourself, reset your password now.")
      case .revertChange: ("Your account was recovered", "If you sign in with a password, reset it now.")
      case .signIn: ("Sign in", "")
      }
    let onward = allowedContinueURL.map { Self.linkMarkup($0, text: "Continue") } ?? ""
    return HTMLPage(title: title, content: HTMLPage.paragraph(text) + onward)
  }

  private var allowedContinueURL: String? {
    form.continueURL.flatMap { calls.endpoints.accounts.changes.codes.links.isAllowedContinueURL($0) ? $0 : nil }
  }

  private static func linkMarkup(_ url: String, text: String) -> String {
    "<p><a class=\"button\" rel=\"noreferrer noopener\" href=\"\(HTMLText.escaped(url))\">\(HTMLText.escaped(text))</a></p>\n"
  }

  /// The markup of the form, which posts to the page's own path; the code is in its body.
  private func formMarkup(_ fields: String, button: String) -> String {
    let parts = [
      ("mode", form.mode.rawValue), ("oobCode", form.code), ("continueUrl", form.continueURL ?? ""),
      ("apiKey", form.apiKey ?? ""), ("lang", form.language ?? ""),
    ]
    let hidden = parts.filter { !$0.1.isEmpty }.map { name, value in
      "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTMLText.escaped(value))\">\n"
    }
    return """
      <form method="post" action="\(HTMLText.escaped(path))">
      \(hidden.joined())\(fields)<button type="submit">\(HTMLText.escaped(button))</button>
      </form>

      """
  }
}
