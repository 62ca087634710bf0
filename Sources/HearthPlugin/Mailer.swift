/// Sends mail.
public protocol Mailer: Sendable {
  /// - Throws: any error whose description may be logged: no address, no code, no link in it.
  func send(_ message: MailMessage) async throws
}

/// One mail, finished. No field has line breaks except the bodies.
public struct MailMessage: Sendable, Codable, Equatable {
  public enum Kind: String, Sendable, Codable, CaseIterable {
    case resetPassword, verifyEmail, verifyAndChangeEmail, emailSignIn, recoverEmail, passwordChanged
  }

  public var kind: Kind
  public var to: String
  public var fromName: String
  public var fromAddress: String
  public var subject: String
  public var text: String
  public var html: String
  /// The action link inside the bodies; nil for a mere notice.
  public var link: String?

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
