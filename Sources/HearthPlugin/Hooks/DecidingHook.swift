import HearthTree

/// Asked before an account is made and before somebody comes in.
///
/// Hooks have no place in the configuration: a program that embeds the server hands them over in ``PluginSet/hooks``. All
/// of them are asked, one after the other. A hook that throws, or does not answer within ten seconds, denies.
public protocol DecidingHook: Sendable {
  /// What the operator's log calls the hook.
  var name: String { get }

  /// Decides on one event. Called with the credential already checked, and before anything is stored or a token is made.
  ///
  /// - Throws: any error; the client is told that the sign-in could not be checked, and the log names the hook.
  func decide(_ event: HookEvent) async throws -> HookVerdict
}

/// What a hook decides on.
public struct HookEvent: Sendable, Codable, Equatable {
  /// What is about to happen.
  public enum Moment: String, Sendable, Codable {
    /// An account is about to be made. Claims of the verdict are not used.
    case beforeCreate
    /// A session is about to begin. A new account passes both moments.
    case beforeSignIn
  }

  /// What is about to happen.
  public var moment: Moment
  /// The account, which may not be stored yet.
  public var uid: String
  /// In canonical form; nil when the account has none.
  public var email: String?
  /// Somebody proved to receive mail at ``email``.
  public var isEmailVerified: Bool
  /// The name that others see; any text that the user chose.
  public var displayName: String?
  /// As tokens show it: `password`, `anonymous`, `custom`, `google.com`.
  public var signInProvider: String
  /// The client's IP address, as far as trusted proxies tell it.
  public var clientAddress: String

  /// An event with all its facts.
  public init(
    moment: Moment, uid: String, email: String?, isEmailVerified: Bool, displayName: String?, signInProvider: String,
    clientAddress: String
  ) {
    self.moment = moment
    self.uid = uid
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.displayName = displayName
    self.signInProvider = signInProvider
    self.clientAddress = clientAddress
  }
}

/// What a hook decided.
public enum HookVerdict: Sendable, Codable, Equatable {
  /// Go on. `claims` are added to the tokens of this session: an object without reserved names, 1,000 bytes at most, or nil.
  /// Claims that break these rules refuse the sign-in.
  case allow(claims: JSON?)
  /// Refuse. The message is shown to the client, on one line and cut at 256 characters.
  case deny(message: String)
}
