import HearthTree

/// One commit, with the parts that triggers need.
public struct WrittenChange: Sendable {
  /// The commit's number in its database.
  public var position: Int64
  /// The commit's time, in milliseconds since 1970.
  public var milliseconds: Int64
  /// The locations that the write named and that changed. The list is complete.
  public var paths: [Path]
  /// The whole database before the commit.
  public var oldRoot: Node
  /// The whole database after the commit.
  public var newRoot: Node
  /// The author of the write.
  public var author: EventAuthor

  /// Creates a commit.
  public init(
    position: Int64, milliseconds: Int64, paths: [Path], oldRoot: Node, newRoot: Node, author: EventAuthor
  ) {
    (self.position, self.milliseconds, self.paths) = (position, milliseconds, paths)
    (self.oldRoot, self.newRoot, self.author) = (oldRoot, newRoot, author)
  }
}

/// The author of a write.
public enum EventAuthor: Sendable, Equatable {
  /// An administrator: a service account or a database secret, even with an overridden `auth` for the rules.
  case administrator
  /// A signed-in user: the rules' `auth`, as JSON.
  case user([UInt8])
  /// A signed-out client.
  case signedOut

  /// Creates the author from the rules' `auth`, if there is one.
  public init(auth: JSON?, isAdministrator: Bool) {
    switch auth {
    case _ where isAdministrator: self = .administrator
    case .object?: self = .user(auth?.text() ?? [])
    default: self = .signedOut
    }
  }

  /// The user's ID; nil unless the author is a user.
  public var uid: String? {
    guard case .user(let auth) = self else { return nil }
    return JSON(parsing: auth)?["uid"]?.string
  }
}
