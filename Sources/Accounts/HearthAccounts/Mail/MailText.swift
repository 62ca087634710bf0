import HearthPlugin
import HearthTree

/// The texts of the mails.
struct MailText: Sendable {
  var kind: MailMessage.Kind
  var to: String
  var name: String?
  var newEmail: String?
  var link: String?
  /// A short description of the change; `nil` when the kind says it.
  var detail: String?

  init(_ kind: MailMessage.Kind, to: String, user: UserRecord?, newEmail: String?, link: String?) {
    self.kind = kind
    self.to = to
    // Users choose their names themselves, and could put messages into this server's mails to others: only the owner of
    // the mailbox is addressed by name.
    let isOwner = user?.isEmailVerified == true && user?.email == to
    name = isOwner ? user?.displayName.map { PlainText.line($0, lengthMax: 64) } : nil
    self.newEmail = newEmail
    self.link = link
  }

  init(_ purpose: Ticket.Purpose, to: String, user: UserRecord?, newEmail: String?, link: String) {
    let kind: MailMessage.Kind =
      switch purpose {
      case .resetPassword: .resetPassword
      case .verifyAndChangeEmail: .verifyAndChangeEmail
      case .emailSignIn: .emailSignIn
      case .recoverEmail: .recoverEmail
      case .revertSecondFactor: .revertSecondFactor
      default: .verifyEmail
      }
    self.init(kind, to: to, user: user, newEmail: newEmail, link: link)
  }

  func message(_ configuration: AccountsConfiguration) -> MailMessage {
    let app = PlainText.line(configuration.mail.appName, lengthMax: 128)
    let (subject, lead, end) = words(app: app)
    let greeting = name.map { "Hello \($0)," } ?? "Hello,"
    let text = ([greeting, lead] + (link.map { [$0] } ?? []) + [end]).joined(separator: "\n\n") + "\n"
    let paragraphs =
      [greeting, lead].map { "<p>\(HTMLText.escaped($0))</p>" }
      + (link.map { ["<p><a href=\"\(HTMLText.escaped($0))\">\(HTMLText.escaped($0))</a></p>"] } ?? [])
      + ["<p>\(HTMLText.escaped(end))</p>"]
    let html = "<!doctype html><html><body>\(paragraphs.joined())</body></html>\n"
    return MailMessage(
      kind: kind, to: PlainText.line(to, lengthMax: 320),
      fromName: PlainText.line(configuration.mail.fromName, lengthMax: 128),
      fromAddress: PlainText.line(configuration.mail.fromAddress, lengthMax: 320),
      subject: PlainText.line(subject, lengthMax: 200), text: text, html: html, link: link)
  }

  private func words(app: String) -> (subject: String, lead: String, end: String) {
    let ignore = "If you did not ask for this, you can ignore this mail."
    let back = "If this was not you, follow the link to recover your account, and then reset your password."
    let changed = detail.map { PlainText.line($0, lengthMax: 256) } ?? "A new credential"
    switch kind {
    case .resetPassword:
      return (
        "Reset your password for \(app)", "Follow this link to choose a new password. It works for one hour.", ignore
      )
    case .verifyEmail:
      return ("Verify your address for \(app)", "Follow this link to verify that this address is yours.", ignore)
    case .verifyAndChangeEmail:
      return (
        "Verify your new address for \(app)", "Follow this link to use this address for your account.",
        ignore
      )
    case .emailSignIn:
      return ("Sign in to \(app)", "Follow this link to sign in. It works once, for ten minutes.", ignore)
    case .recoverEmail:
      let address = newEmail.map { PlainText.line($0, lengthMax: 320) } ?? "another address"
      return (
        "Your address for \(app) was changed", "The address of your account was changed to \(address).",
        "If this was not you, follow the link to recover your account, and then change your password."
      )
    case .revertSecondFactor:
      return (
        "Two-step sign-in was added to your account for \(app)",
        "Your account now requires a second step at every sign-in.",
        "If this was not you, follow the link to remove the second step, and then change your password."
      )
    case .recoveryCodeUsed:
      return (
        "A recovery code of your account for \(app) was used",
        "A sign-in to your account used one of your recovery codes. That code no longer works.",
        "If this was not you, reset your password now, and create new recovery codes."
      )
    case .passkeyAdded:
      return (
        "A passkey was added to your account for \(app)", "You can now sign in to your account with that passkey.", back
      )
    case .passkeyRemoved:
      return (
        "A passkey of your account for \(app) was removed", "That passkey no longer signs in to your account.", back
      )
    case .passwordChanged:
      return (
        "Your password for \(app) was changed", "The password of your account was changed, and you were signed out.",
        link == nil ? "If this was not you, reset your password now." : back
      )
    case .signInMethodAdded:
      return ("A way to sign in was added to your account for \(app)", "\(changed) now signs in to your account.", back)
    case .signInMethodRemoved:
      return (
        "A way to sign in to your account for \(app) was removed", "\(changed) no longer signs in to your account.",
        back
      )
    case .secondFactorRemoved:
      return (
        "Two-step sign-in was removed from your account for \(app)",
        "A second step was removed from your account, and other devices were signed out.", back
      )
    case .recoveryCodesReplaced:
      return (
        "New recovery codes were created for your account for \(app)",
        "Your previous recovery codes no longer work.", back
      )
    }
  }
}
