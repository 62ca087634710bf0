import HearthEngine
import HearthTree
import Testing

/// An engine with one administrator, which measures the cost of commands.
struct EngineHost {
  var engine: Engine
  /// The effects of the last command.
  var effects: [Effect] = []

  init(engine: Engine) { self.engine = engine }

  mutating func perform(_ connection: Int, _ action: Command.Action) {
    let principal: Principal? = if case .listen = action { nil } else { .administrator }
    let command = Command(
      connection: ConnectionID(rawValue: UInt64(connection)), request: 1, principal: principal, action: action)
    effects = engine.decide([command], at: Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)).effects
  }

  /// Writes a number to `n` of a child of `/m`.
  mutating func put(_ key: Key, _ number: Int64) {
    let location = Location(path: Path([Key("m"), key, Key("n")]))
    perform(1, .write(WriteOperation(.put(location, WriteValue(Node(.int(number)))))))
  }

  /// Returns the growth of the engine's counters during the body.
  mutating func cost(_ body: (inout EngineHost) -> Void) -> QueryCost {
    let before = engine.queryCost
    body(&self)
    let after = engine.queryCost
    var cost = QueryCost()
    cost.entriesRead = after.entriesRead - before.entriesRead
    cost.entriesWritten = after.entriesWritten - before.entriesWritten
    cost.childrenScanned = after.childrenScanned - before.childrenScanned
    return cost
  }

  mutating func read(_ query: Query) { _ = readResult(query) }

  mutating func readResult(_ query: Query) -> QueryResult {
    perform(1, .get(Path("m"), query))
    guard case .reply(_, _, .result(let result))? = effects.last else {
      Issue.record("no result")
      return QueryResult(query, of: .empty)
    }
    return result
  }

  /// The first value sent by the last command.
  var firstValue: Node? {
    for effect in effects {
      if case .queryEvent(let event, _) = effect, case .put(let node) = event.change { return node }
    }
    return nil
  }

  /// Returns the first data of a new listen.
  mutating func replica(of connection: Int, _ query: Query) -> Node? {
    perform(connection, .connect)
    perform(connection, .listen(ListenRequest(Path("m"), query: query, tag: 1)))
    return firstValue
  }

  /// Returns the result of a query without an index.
  func result(_ query: Query) -> Node {
    QueryResult(query, of: engine.state.root[Path("m")]).node
  }
}
