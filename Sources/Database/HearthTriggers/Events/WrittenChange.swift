import HearthTree

/// One commit, as triggers see it.
public struct WrittenChange: Sendable {
  /// The commit's number in its database.
  public var position: Int64
  /// The commit's time, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The places that the write named and that are different now. Nothing else is.
  public var paths: [Path]
  /// The whole database before it.
  public var oldRoot: Node
  /// The whole database after it.
  public var newRoot: Node
  /// Who wrote.
  public var author: EventAuthor

  /// A commit of these parts.
  public init(
    position: Int64, milliseconds: Int64, paths: [Path], oldRoot: Node, newRoot: Node, author: EventAuthor
  ) {
    (self.position, self.milliseconds, self.paths) = (position, milliseconds, paths)
    (self.oldRoot, self.newRoot, self.author) = (oldRoot, newRoot, author)
  }
}

/// Who made a write.
public enum EventAuthor: Sendable, Equatable {
  /// An administrator: a service account, a database secret; also one who had rules see somebody else's `auth`.
  case administrator
  /// Somebody who is signed in: the rules' `auth`, as JSON.
  case user([UInt8])
  /// Somebody who is not.
  case nobody

  /// The rules' `auth`, or that there is none.
  public init(auth: JSON?, isAdministrator: Bool) {
    switch auth {
    case _ where isAdministrator: self = .administrator
    case .object?: self = .user(auth?.text() ?? [])
    default: self = .nobody
    }
  }

  /// The user's id.
  public var uid: String? {
    guard case .user(let auth) = self else { return nil }
    return JSON(parsing: auth)?["uid"]?.string
  }
}
