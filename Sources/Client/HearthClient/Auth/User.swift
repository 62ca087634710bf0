import Foundation
import HearthTree

/// A user that has signed in. An object represents the same user through all changes of the account; see ``reload()``.
public final class User: UserInfo {
  private struct State: Sendable {
    var record: StoredUser
    var tokens: UserTokens
    /// The number of token changes, by which a waiting caller detects new tokens.
    var generation = 0
  }

  private let state: LockedValue<State>
  /// The queue for requests that may return new tokens. They run one at a time, because using an old refresh token
  /// during a change of password would end the session.
  let gate = SerialTaskQueue()
  /// The authentication; nil once the ``Auth`` object is released.
  weak let auth: Auth?

  init(record: StoredUser, tokens: UserTokens, auth: Auth) {
    state = LockedValue(State(record: record, tokens: tokens))
    self.auth = auth
  }

  var record: StoredUser { state.withLock { $0.record } }
  var tokens: UserTokens { state.withLock { $0.tokens } }
  var generation: Int { state.withLock { $0.generation } }

  func update(_ change: (inout StoredUser) -> Void) { state.withLock { change(&$0.record) } }

  func set(_ tokens: UserTokens) {
    state.withLock {
      $0.tokens = tokens
      $0.generation += 1
    }
  }

  /// The provider of the account itself, `Firebase`.
  public var providerID: String { "Firebase" }
  /// The account's identifier, for the database's rules and paths. It never changes.
  public var uid: String { record.uid }
  /// The user's display name.
  public var displayName: String? { record.displayName }
  /// The URL of the user's picture.
  public var photoURL: URL? { record.photoURL }
  /// The e-mail address.
  public var email: String? { record.email }
  /// The phone number in E.164 form.
  public var phoneNumber: String? { record.phoneNumber }
  /// True when the user has verified the address.
  public var isEmailVerified: Bool { record.isEmailVerified }
  /// True when the account has no way to sign in, so that only this session can use it.
  public var isAnonymous: Bool { record.isAnonymous }
  /// The tenant; nil for the project itself.
  public var tenantID: String? { record.tenantID }
  /// The account's linked providers.
  public var providerData: [any UserInfo] { record.providers }
  /// The times of the account's creation and last sign-in.
  public var metadata: UserMetadata {
    let record = record
    return UserMetadata(lastSignInDate: record.lastSignInAt, creationDate: record.createdAt)
  }

  /// The refresh token: a secret equal to the password.
  public var refreshToken: String? { tokens.refreshToken }
}

extension User: CustomStringConvertible, CustomReflectable, Hashable {
  public var description: String { "User(uid: \(uid))" }
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }

  /// Returns true when both are the same object.
  public static func == (a: User, b: User) -> Bool { a === b }
  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
