import HearthDatabase
import HearthEngine
import HearthTree

/// What a read is answered from.
enum ReadSource {
  case database(Database)
  /// A database that nobody has made yet: to a read it is empty, under the rules that it would begin with.
  case unmade(name: String, Published)

  /// What a database was at a moment of the past.
  case past(name: String, Published)

  var name: String {
    switch self {
    case .database(let database): database.name
    case .unmade(let name, _), .past(let name, _): name
    }
  }

  /// True when there is a database.
  var isMade: Bool { if case .unmade = self { false } else { true } }

  /// What a read may see now.
  var state: Published {
    switch self {
    case .database(let database): database.published
    case .unmade(_, let state), .past(_, let state): state
    }
  }
}

extension RESTCall {
  /// Has an engine put a query's result together: the database's own, which keeps indexes, or one for this question.
  ///
  /// - Parameter completion: called on this loop, before this returns when there is no database.
  func get(
    _ path: Path, _ query: Query, from source: ReadSource, completion: @escaping (Reply) -> Void
  ) {
    let principal = caller.principal
    switch source {
    case .database(let database):
      hub.request(
        .get(path, query), as: principal, in: origin.network, of: database, id: origin.requestID, completion: completion
      )
    case .unmade(let name, let state), .past(let name, let state):
      var engine = Engine(state: state)
      let command = Command(
        connection: ConnectionID(rawValue: 0), request: 1, principal: principal, action: .get(path, query))
      for effect in engine.decide([command], at: now).effects {
        switch effect {
        case .reply(_, _, let reply): completion(reply)
        // Who asks what somebody else could have read is told, and not the log.
        case .denied(let denial):
          guard case .unmade = source else { continue }
          services.denials.log(denial, database: name, isMade: false, requestID: origin.requestID)
        case .event, .queryEvent, .authenticationEnded, .redecided: break
        }
      }
    }
  }
}
