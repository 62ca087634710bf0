import HearthTree

/// Asked before an account is made and before somebody comes in. A hook that throws or does not answer in time denies.
public protocol DecidingHook: Sendable {
  var name: String { get }
  func decide(_ event: HookEvent) async throws -> HookVerdict
}

/// What a hook decides on.
public struct HookEvent: Sendable, Codable, Equatable {
  public enum Moment: String, Sendable, Codable { case beforeCreate, beforeSignIn }

  public var moment: Moment
  public var uid: String
  public var email: String?
  public var isEmailVerified: Bool
  public var displayName: String?
  public var signInProvider: String
  public var clientAddress: String

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

public enum HookVerdict: Sendable, Codable, Equatable {
  /// Go on. `claims` are added to the tokens of this session: an object without reserved names, or nil.
  case allow(claims: JSON?)
  /// The message is shown to the client.
  case deny(message: String)
}
