import HearthTree

/// What a connection wants to be told of.
public struct ListenRequest: Sendable {
  /// The place where to listen.
  public var path: Path

  /// The simple hash of what the client holds already: when it is that of what is there, the first value is not sent.
  /// The empty text is the hash of nothing.
  public var hash: String

  /// What of the children is wanted; nil is all there is.
  public var query: Query?

  /// Names a listen with a query; every such listen has one. Listening once more under another tag to the same path and
  /// query replaces the first.
  public var tag: Int32?

  /// What the client holds, by ranges: then only what differs is sent.
  public var compound: CompoundHash?

  /// A listen of these parts.
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

/// Which of a connection's listens is meant.
public struct ListenName: Sendable, Hashable {
  /// The place where the listen is.
  public var path: Path
  /// nil for the listen without a query.
  public var tag: Int32?

  /// The name of a listen.
  public init(path: Path, tag: Int32? = nil) {
    self.path = path
    self.tag = tag
  }
}

/// A connection, and how it knows the listen that an event is for.
public struct TaggedRecipient: Sendable, Hashable {
  /// The connection that is told.
  public var connection: ConnectionID
  /// What the connection calls the listen.
  public var tag: Int32

  /// One who listens with a query.
  public init(connection: ConnectionID, tag: Int32) {
    self.connection = connection
    self.tag = tag
  }
}
