import HearthTree

/// A store in memory: for tests, and for programs that create several clients of one database in sequence.
public final class MemoryStore: SyncStore {
  private var pending: [Int: StoredWrite] = [:]
  private var data = Node.empty
  private var queries: [Int: TrackedQuery] = [:]
  private var keys: [Int: Set<Key>] = [:]

  /// Creates an empty store.
  public init() {}

  public func transaction(_ body: () throws -> Void) throws {
    let before = (pending, data, queries, keys)
    do { try body() } catch {
      (pending, data, queries, keys) = before
      throw error
    }
  }

  public func writes() -> [StoredWrite] { pending.values.sorted { $0.id < $1.id } }
  public func save(_ write: StoredWrite) { pending[write.id] = write }
  public func removeWrite(_ id: Int) { pending[id] = nil }
  public func removeAllWrites() { pending = [:] }

  public func serverData(at path: Path) -> Node { data[path] }

  public func serverData(at path: Path, keys: Set<Key>) -> Node {
    let node = data[path]
    return Node.empty.replacing(keys.sorted().map { (path: Path([$0]), node: node.child($0)) })
  }

  public func replaceServerData(at location: Location, with node: Node) {
    data = data.overwriting(location.path.keys[...], isPriority: location.isPriority, with: node)
  }

  public func removeServerData(at path: Path, keeping: [Path]) {
    let kept = keeping.filter { path.contains($0) }.map { (path: $0, node: data[$0]) }
    data = data.replacing(path, with: .empty).replacing(kept)
  }

  public func serverDataSizeBytes() -> Int { data.estimatedSizeBytes }

  public func trackedQueries() -> [TrackedQuery] { queries.values.sorted { $0.id < $1.id } }
  public func save(_ query: TrackedQuery) { queries[query.id] = query }

  public func removeTrackedQuery(_ id: Int) {
    queries[id] = nil
    keys[id] = nil
  }

  public func keys(ofQuery id: Int) -> Set<Key> { keys[id] ?? [] }
  public func setKeys(_ keys: Set<Key>, ofQuery id: Int) { self.keys[id] = keys }

  public func changeKeys(ofQuery id: Int, adding: Set<Key>, removing: Set<Key>) {
    keys[id] = (keys[id] ?? []).union(adding).subtracting(removing)
  }
}
