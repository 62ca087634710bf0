import HearthTree

/// A read to be decided: a listen, a `get` or a REST read.
public struct ReadRequest: Sendable {
  /// The path to read.
  public var path: Path
  /// The root of the database.
  public var root: Node
  /// The `auth` of rules; nil when signed out.
  public var auth: JSON?
  /// The `now` of rules.
  public var nowMilliseconds: Int64
  /// The `query` of rules; nil for a read without parameters.
  public var query: Query?

  /// Creates a read.
  public init(path: Path, root: Node, auth: JSON?, nowMilliseconds: Int64, query: Query? = nil) {
    self.path = path
    self.root = root
    self.auth = auth
    self.nowMilliseconds = nowMilliseconds
    self.query = query
  }
}
