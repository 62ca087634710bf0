import HearthDatabase
import HearthEngine
import HearthTree

/// The source of a read.
enum ReadSource {
  case database(Database)
  /// A database that does not exist yet: a read sees it as empty, under its initial rules.
  case notCreated(name: String, DatabaseState)

  /// A database at a point in history.
  case past(name: String, DatabaseState)

  var name: String {
    switch self {
    case .database(let database): database.name
    case .notCreated(let name, _), .past(let name, _): name
    }
  }

  /// True when the database exists.
  var exists: Bool { if case .notCreated = self { false } else { true } }

  /// The state that a read sees.
  var state: DatabaseState {
    switch self {
    case .database(let database): database.published
    case .notCreated(_, let state), .past(_, let state): state
    }
  }
}

extension RESTCall {
  /// Runs a query in an engine: the database's own, which keeps indexes, or a temporary one.
  ///
  /// - Parameter completion: called on this loop.
  func get(
    _ path: Path, _ query: Query, from source: ReadSource, completion: @escaping (Reply) -> Void
  ) {
    let principal = caller.principal
    switch source {
    case .database(let database):
      hub.request(
        .get(path, query), as: principal, in: origin.network, of: database, id: origin.requestID, completion: completion
      )
    case .notCreated, .past:
      let command = Command(
        connection: ConnectionID(rawValue: 0), request: 1, principal: principal, action: .get(path, query))
      let (state, now) = (source.state, now)
      services.pool.read(on: hub.loop, for: poolClient) {
        var engine = Engine(state: state)
        return engine.decide([command], at: now).effects
      } completion: { effects in
        guard let effects else { return completion(.failure(.unavailable)) }
        perform(effects, from: source, completion)
      }
    }
  }

  private func perform(_ effects: [Effect], from source: ReadSource, _ completion: (Reply) -> Void) {
    for effect in effects {
      switch effect {
      case .reply(_, _, let reply): completion(reply)
      // A read of the past as another identity gets the denial as its response; the log does not.
      case .denied(let denial):
        guard case .notCreated = source else { continue }
        services.denials.log(denial, database: source.name, exists: false, requestID: origin.requestID)
      case .event, .queryEvent, .authenticationEnded, .redecided: break
      }
    }
  }
}
