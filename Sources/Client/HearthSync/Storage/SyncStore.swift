import HearthTree

/// Where a client keeps what is to outlive it: data, the queries that it belongs to, and writes that wait.
///
/// One store belongs to one database and one user. It is used by one executor. What fails is thrown; the client then goes
/// on without a store.
public protocol SyncStore: AnyObject {
  /// Runs changes of which all or none are to be stored, also when the process dies. Not nested.
  func transaction(_ body: () throws -> Void) throws

  /// All writes by ascending id.
  func writes() throws -> [StoredWrite]
  /// Adds a write.
  func save(_ write: StoredWrite) throws
  /// Takes a write out; one that is not there is no error.
  func removeWrite(_ id: Int) throws
  /// Takes all writes out.
  func removeAllWrites() throws

  /// What is stored at a place and below.
  func serverData(at path: Path) throws -> Node
  /// Of what is stored at a place only these children, without a priority of the place itself.
  func serverData(at path: Path, keys: Set<Key>) throws -> Node
  /// Replaces what is stored at a place and below, or its priority, of which the node is the leaf. A leaf above is gone.
  func replaceServerData(at location: Location, with node: Node) throws
  /// Takes out what is stored at a place and below, but not at and below the others.
  func removeServerData(at path: Path, keeping: [Path]) throws
  /// About how many bytes the data takes.
  func serverDataSizeBytes() throws -> Int

  /// All queries that data is stored of.
  func trackedQueries() throws -> [TrackedQuery]
  /// Adds a query, or replaces that of the same id.
  func save(_ query: TrackedQuery) throws
  /// Takes a query out, with its keys.
  func removeTrackedQuery(_ id: Int) throws
  /// The children that a query with bounds or a limit has.
  func keys(ofQuery id: Int) throws -> Set<Key>
  /// Replaces them.
  func setKeys(_ keys: Set<Key>, ofQuery id: Int) throws
  /// Adds some and takes some out.
  func changeKeys(ofQuery id: Int, adding: Set<Key>, removing: Set<Key>) throws
}

/// A write that waits for the server.
public struct StoredWrite: Sendable {
  /// Ascends with every write of a client, also over its restarts.
  public var id: Int
  /// What is written.
  public var content: Content

  /// What is written, with server values as they are sent.
  public enum Content: Sendable {
    /// One place, or its priority.
    case overwrite(Location, WriteValue)
    /// Several places, relative to a path.
    case merge(Path, [Write])
  }

  /// A write of that id.
  public init(id: Int, content: Content) {
    self.id = id
    self.content = content
  }
}

/// A query that data is stored of.
public struct TrackedQuery: Sendable, Equatable {
  /// Never used for another.
  public var id: Int
  /// Which query; of those without bounds and limit the one without an order.
  public var spec: QuerySpec
  /// When somebody listened last, or ended to; wall clock.
  public var lastUseMilliseconds: Int64
  /// True when all that it asks for is stored.
  public var isComplete: Bool
  /// True when somebody listens.
  public var isActive: Bool

  /// A query of these parts.
  public init(id: Int, spec: QuerySpec, lastUseMilliseconds: Int64, isComplete: Bool, isActive: Bool) {
    self.id = id
    self.spec = spec
    self.lastUseMilliseconds = lastUseMilliseconds
    self.isComplete = isComplete
    self.isActive = isActive
  }
}
