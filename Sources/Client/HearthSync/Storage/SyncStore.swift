import HearthTree

/// The persistent store of a client: data, the queries that it belongs to, and pending writes.
///
/// One store belongs to one database and one user, and to one executor. Failures are thrown; the client then continues
/// without a store.
public protocol SyncStore: AnyObject {
  /// Runs changes that are stored together or not at all, even when the process ends. Not nested.
  func transaction(_ body: () throws -> Void) throws

  /// Returns all writes by ascending id.
  func writes() throws -> [StoredWrite]
  /// Adds a write.
  func save(_ write: StoredWrite) throws
  /// Removes a write; a missing one is no error.
  func removeWrite(_ id: Int) throws
  /// Removes all writes.
  func removeAllWrites() throws

  /// Returns the data stored at a path and below.
  func serverData(at path: Path) throws -> Node
  /// Returns only these children of the data stored at a path, without a priority of the path itself.
  func serverData(at path: Path, keys: Set<Key>) throws -> Node
  /// Replaces the data at a path and below, or only its priority, in which case the node is a leaf with the priority as
  /// its value. A leaf above the path is removed.
  func replaceServerData(at location: Location, with node: Node) throws
  /// Removes the data at a path and below, except at and below the paths to keep.
  func removeServerData(at path: Path, keeping: [Path]) throws
  /// Returns the approximate size of the stored data in bytes.
  func serverDataSizeBytes() throws -> Int

  /// Returns all queries with stored data.
  func trackedQueries() throws -> [TrackedQuery]
  /// Adds a query, or replaces that of the same id.
  func save(_ query: TrackedQuery) throws
  /// Removes a query and its keys.
  func removeTrackedQuery(_ id: Int) throws
  /// Returns the children of a query with bounds or a limit.
  func keys(ofQuery id: Int) throws -> Set<Key>
  /// Replaces the children of a query.
  func setKeys(_ keys: Set<Key>, ofQuery id: Int) throws
  /// Adds and removes some children of a query.
  func changeKeys(ofQuery id: Int, adding: Set<Key>, removing: Set<Key>) throws
}

/// A write that waits for the server's answer.
public struct StoredWrite: Sendable {
  /// The ID, which increases with every write of a client, across restarts of the program.
  public var id: Int
  /// The values to write.
  public var content: Content

  /// The values of a write, with server values as they are sent.
  public enum Content: Sendable {
    /// A value or priority for one location.
    case overwrite(Location, WriteValue)
    /// Values for several locations, relative to a path.
    case merge(Path, [Write])
  }

  /// Creates a stored write.
  public init(id: Int, content: Content) {
    self.id = id
    self.content = content
  }
}

/// A query with stored data.
public struct TrackedQuery: Sendable, Equatable {
  /// The identifier, never used for another query.
  public var id: Int
  /// The query. One without bounds and limit has no order here either.
  public var spec: QuerySpec
  /// The wall-clock time at which a listener last began or ended.
  public var lastUseMilliseconds: Int64
  /// True when the query's whole result is stored.
  public var isComplete: Bool
  /// True when the query has a listener.
  public var isActive: Bool

  /// Creates a tracked query.
  public init(id: Int, spec: QuerySpec, lastUseMilliseconds: Int64, isComplete: Bool, isActive: Bool) {
    self.id = id
    self.spec = spec
    self.lastUseMilliseconds = lastUseMilliseconds
    self.isComplete = isComplete
    self.isActive = isActive
  }
}
