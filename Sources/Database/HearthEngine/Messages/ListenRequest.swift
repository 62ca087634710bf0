import HearthTree

/// A connection's request to listen.
public struct ListenRequest: Sendable {
  /// The path to listen at.
  public var path: Path

  /// The simple hash of the client's data: when it matches the present data, the first value is not sent. The empty
  /// text is the hash of no data.
  public var hash: String

  /// The query that selects children; nil for all data.
  public var query: Query?

  /// The tag of a listen with a query; nil for other listens. Another listen at the same path and query with a
  /// different tag replaces the first.
  public var tag: Int32?

  /// The hashes of the client's data by ranges, so that only differing ranges are sent; nil when the client sent none.
  public var compound: CompoundHash?

  /// Creates a listen request.
  public init(
    _ path: Path, hash: String = "", query: Query? = nil, tag: Int32? = nil, compound: CompoundHash? = nil
  ) {
    self.path = path
    self.hash = hash
    self.query = query
    self.tag = tag
    self.compound = compound
  }
}

/// The name of a listen among those of a connection.
public struct ListenName: Sendable, Hashable {
  /// The path of the listen.
  public var path: Path
  /// The tag; nil for the listen without a query.
  public var tag: Int32?

  /// Creates the name of a listen.
  public init(path: Path, tag: Int32? = nil) {
    self.path = path
    self.tag = tag
  }
}

/// A recipient of an event: a connection with its tag for the listen.
public struct TaggedRecipient: Sendable, Hashable {
  /// The connection.
  public var connection: ConnectionID
  /// The connection's tag for the listen.
  public var tag: Int32

  /// Creates a recipient.
  public init(connection: ConnectionID, tag: Int32) {
    self.connection = connection
    self.tag = tag
  }
}
