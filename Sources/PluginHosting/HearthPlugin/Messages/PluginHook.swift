/// The hooks that the server calls in plugins that are not part of its program. The raw values are in messages and
/// manifests, and are never renamed.
public enum PluginHook: String, Sendable, Codable, CaseIterable {
  /// ``SignInProvider/answer(_:)`` for ``SignInMethod/credential``: ``SignInRequest`` in, ``SignInAnswer`` out.
  case exchange
  /// ``PasswordChecker/check(_:)``: ``PasswordCheck`` in, ``PasswordCheckAnswer`` out.
  case checkPassword
  /// ``DecidingHook/decide(_:)`` before an account is made: ``HookEvent`` in, ``HookVerdict`` out.
  case beforeCreate
  /// ``DecidingHook/decide(_:)`` before a user signs in: ``HookEvent`` in, ``HookVerdict`` out.
  case beforeSignIn
  /// ``ClaimsSource/claims(for:)``: ``ClaimsRequest`` in, ``ClaimsAnswer`` out.
  case customClaims
  /// ``Mailer/send(_:)``: ``MailMessage`` in, any value out.
  case sendMail
  /// ``WriteReceiver/take(_:)``: ``WriteEvent`` in, any value out.
  case onWrite
  /// ``SMSSender/send(_:)``: ``SMSMessage`` in, any value out.
  case sendSMS
  /// A file of another language that is translated to rules: ``RulesSource`` in, ``RulesSourceAnswer`` out. Called once
  /// by the command that reads a rules file; never by a running server.
  case rulesSource
  /// ``TokenVerifier/verify(_:)``: ``TokenQuestion`` in, ``TokenAnswer`` out.
  case verifyToken
  /// ``AuditSink/record(_:)``: ``AuditEntry`` in, any value out.
  case audit

  /// True when a running server calls the hook. A plugin that has only other hooks is not started with the server.
  public var isCalledByServer: Bool { self != .rulesSource }

  /// The consequence when the plugin is down, too slow or answers with an invalid value: a sentence for operators.
  public var failurePolicy: String {
    switch self {
    case .exchange: "closed: these sign-ins fail, all others work"
    case .checkPassword: "closed: sign-ins with a password that this server does not store fail, all others work"
    case .beforeCreate: "closed: no account is created"
    case .beforeSignIn: "closed: all sign-ins fail"
    case .customClaims: "closed: all sign-ins and token refreshes fail"
    case .onWrite: "queued: an event is retried for a day, then it becomes a dead letter"
    case .sendMail, .sendSMS: "queued: retried five times within a minute, then dropped and logged"
    case .rulesSource: "closed: new rules are refused, those in force stay"
    case .verifyToken: "closed: these tokens are refused; cached answers stay valid"
    case .audit:
      "queued: retried until it succeeds; at most 10,000 wait, further ones are dropped and counted in the log"
    }
  }
}
