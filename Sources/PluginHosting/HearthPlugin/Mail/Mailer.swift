/// Sends mail.
public protocol Mailer: Sendable {
  /// Sends one mail. Called from a queue, one mail after the other, never while a client waits. A mailer that needs
  /// more than 60 seconds is cancelled, and the mail counts as not sent.
  ///
  /// - Throws: any error. The server logs its description and does not try again, so the description must name no
  ///   address, no code and no link.
  func send(_ message: MailMessage) async throws
}

/// A finished mail: the server has written subject and bodies. No field has line breaks except the bodies.
public struct MailMessage: Sendable, Codable, Equatable {
  /// The purpose of a mail.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A link to choose a new password.
    case resetPassword
    /// A link that proves the account's address.
    case verifyEmail
    /// A link that proves a new address and puts it in the place of the old one.
    case verifyAndChangeEmail
    /// A link to sign in with.
    case emailSignIn
    /// A notice to the old address about its replacement, with a link that reverts the change.
    case recoverEmail
    /// A notice that the password was changed, with a link that reverts the change; after a reset by mail it has no link.
    case passwordChanged
    /// A notice that a second factor was added, with a link that reverts the change.
    case revertSecondFactor = "revertSecondFactorAddition"
    /// A notice that a recovery code was used in place of a second factor; it has no link.
    case recoveryCodeUsed
    /// A notice that a passkey was added, with a link that reverts the change.
    case passkeyAdded
    /// A notice that a passkey was removed, with a link that reverts the change.
    case passkeyRemoved
    /// A notice that a password, a phone number or a provider signs in from now on, with a link that reverts the change.
    case signInMethodAdded
    /// A notice that a password, a phone number or a provider was removed, with a link that reverts the change.
    case signInMethodRemoved
    /// A notice that a second factor was removed, with a link that reverts the change.
    case secondFactorRemoved
    /// A notice that new recovery codes were made, with a link that reverts the change.
    case recoveryCodesReplaced
  }

  /// The purpose of the mail; the only field that may be logged.
  public var kind: Kind
  /// The recipient's address, without a name or angle brackets.
  public var to: String
  /// The sender's name, as the operator wrote it: any text.
  public var fromName: String
  /// The sender's address, without a name or angle brackets.
  public var fromAddress: String
  /// The subject, any text; header fields need it encoded, as ``text(dateSeconds:id:keepsLongLines:)`` does.
  public var subject: String
  /// The body for programs that show no HTML. It contains the link, which gives access to the account.
  public var text: String
  /// The same body as HTML.
  public var html: String
  /// The action link inside the bodies; nil for a mere notice.
  public var link: String?

  /// Creates a finished mail.
  public init(
    kind: Kind, to: String, fromName: String, fromAddress: String, subject: String, text: String, html: String,
    link: String? = nil
  ) {
    self.kind = kind
    self.to = to
    self.fromName = fromName
    self.fromAddress = fromAddress
    self.subject = subject
    self.text = text
    self.html = html
    self.link = link
  }
}
