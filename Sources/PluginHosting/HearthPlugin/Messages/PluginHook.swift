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
    case .exchange: "closed: these sign-ins fail, all others go on"
    case .checkPassword: "closed: nobody comes in by a password that is not stored here, all others do"
    case .beforeCreate: "closed: no account is made"
    case .beforeSignIn: "closed: nobody signs in"
    case .customClaims: "closed: nobody signs in, and no session gets its next token"
    case .onWrite: "queued: an event is kept and given again for a day, then it is a dead letter"
    case .sendMail, .sendSMS: "queued: tried five times within a minute, then dropped and logged"
    case .rulesSource: "closed: no new rules, those in force stay"
    case .verifyToken: "closed: these tokens open nothing; answers that may be remembered go on"
    case .audit: "queued: tried until it is taken; 10,000 wait, further ones are dropped and counted in the log"
    }
  }
}
