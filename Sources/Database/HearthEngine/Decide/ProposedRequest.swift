import HearthRules
import HearthTree

/// A hypothetical request to a database, for which only the rules are evaluated: nothing is read for a client or
/// written.
package enum ProposedRequest: Sendable {
  /// A listen, a `get` or a REST read.
  case read(Path, Query?)
  /// A write of one location or of several at once.
  case write(WriteOperation)

  /// Returns the request that the rules evaluate. The data after a write is computed as for a real write, with server
  /// values filled in.
  ///
  /// - Throws: The error with which the server refuses a write before it evaluates rules.
  package func prepared(on root: Node, auth: JSON?, nowMilliseconds: Int64) throws(Failure) -> RulesRequest {
    switch self {
    case .read(let path, let query):
      return .read(ReadRequest(path: path, root: root, auth: auth, nowMilliseconds: nowMilliseconds, query: query))
    case .write(let operation):
      let candidate = try Candidate(operation, on: root, nowMilliseconds: nowMilliseconds, limits: EngineLimits())
      if let problem = candidate.problem { throw problem }
      return .write(
        WriteRequest(
          oldRoot: root, newRoot: candidate.root, locations: candidate.locations, auth: auth,
          nowMilliseconds: nowMilliseconds))
    }
  }
}

extension ProposedRequest {
  /// The path of the request.
  package var path: Path {
    switch self {
    case .read(let path, _): path
    case .write(let operation): operation.path
    }
  }

  /// The kind of request: `read`, `write` or `update`.
  package var word: String {
    switch self {
    case .read: "read"
    case .write(let operation): if case .merge = operation.change { "update" } else { "write" }
    }
  }
}

extension RulesRequest {
  /// The tree after an allowed request.
  package var newRoot: Node {
    switch self {
    case .read(let request): request.root
    case .write(let request): request.newRoot
    }
  }
}
