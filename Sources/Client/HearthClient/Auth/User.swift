import Foundation
import HearthTree
import Synchronization

/// A user who signed in. An object stays the same user through all changes; see ``reload()``.
public final class User: UserInfo {
  private struct State: Sendable {
    var record: UserRecord
    var tokens: SessionTokens
    /// Counts the tokens: who waited for its turn sees by it that others came first.
    var generation = 0
  }

  private let state: Mutex<State>
  /// Requests that may bring new tokens, one after another: an old refresh token shown beside a change of password would
  /// end the session.
  let gate = SerialGate()
  /// Nil once the app is gone.
  weak let auth: Auth?

  init(record: UserRecord, tokens: SessionTokens, auth: Auth) {
    state = Mutex(State(record: record, tokens: tokens))
    self.auth = auth
  }

  var record: UserRecord { state.withLock { $0.record } }
  var tokens: SessionTokens { state.withLock { $0.tokens } }
  var generation: Int { state.withLock { $0.generation } }

  func update(_ change: (inout UserRecord) -> Void) { state.withLock { change(&$0.record) } }

  func set(_ tokens: SessionTokens) {
    state.withLock {
      $0.tokens = tokens
      $0.generation += 1
    }
  }

  /// `Firebase`
  public var providerID: String { "Firebase" }
  /// The account, for the database's rules and paths. It never changes.
  public var uid: String { record.uid }
  /// What the user is called.
  public var displayName: String? { record.displayName }
  /// A picture.
  public var photoURL: URL? { record.photoURL }
  /// The address.
  public var email: String? { record.email }
  /// With `+` and the country.
  public var phoneNumber: String? { record.phoneNumber }
  /// The user has shown that the address is theirs.
  public var isEmailVerified: Bool { record.isEmailVerified }
  /// The user has no way in but this session.
  public var isAnonymous: Bool { record.isAnonymous }
  /// The tenant, where the project has some.
  public var tenantID: String? { record.tenantID }
  /// The ways in that the account has.
  public var providerData: [any UserInfo] { record.providers }
  /// The time when the account was made and used.
  public var metadata: UserMetadata {
    let record = record
    return UserMetadata(lastSignInDate: record.lastSignInAt, creationDate: record.createdAt)
  }

  /// What brings the next ID token: a secret as good as the password.
  public var refreshToken: String? { tokens.refreshToken }
}

extension User: CustomStringConvertible, CustomReflectable, Hashable {
  public var description: String { "User(uid: \(uid))" }
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }

  /// Returns true when both are the same object.
  public static func == (a: User, b: User) -> Bool { a === b }
  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
