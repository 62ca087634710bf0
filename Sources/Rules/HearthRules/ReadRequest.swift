import HearthTree

/// A read that asks for permission: a listen, a `get` or a REST read.
public struct ReadRequest: Sendable {
  /// What is to be read.
  public var path: Path
  /// The whole database as it is.
  public var root: Node
  /// What rules see as `auth`; nil when signed out.
  public var auth: JSON?
  /// What rules see as `now`.
  public var nowMilliseconds: Int64
  /// What rules see as `query`; nil for a read without parameters.
  public var query: Query?

  /// A read of these parts.
  public init(path: Path, root: Node, auth: JSON?, nowMilliseconds: Int64, query: Query? = nil) {
    self.path = path
    self.root = root
    self.auth = auth
    self.nowMilliseconds = nowMilliseconds
    self.query = query
  }
}
