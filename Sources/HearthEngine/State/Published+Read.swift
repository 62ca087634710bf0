import HearthRules
import HearthTree

extension Published {
  /// Reads what is at `path` as `identity`, on any thread.
  ///
  /// - Parameter query: What the rules see as `query`; it does not change what is returned.
  /// - Throws: ``ReadRefusal`` with the rule that decided.
  public func read(
    _ path: Path, as identity: Identity, nowMilliseconds: Int64, query: Query? = nil
  ) throws(ReadRefusal) -> Node {
    guard !identity.isAdministrator else { return root[path] }
    let decision = rules.decideRead(
      ReadRequest(path: path, root: root, auth: identity.auth, nowMilliseconds: nowMilliseconds, query: query))
    guard decision.isAllowed else { throw ReadRefusal(decision: decision) }
    return root[path]
  }
}

/// The rules do not let somebody read. Two refusals are equal when the same rule decided.
public struct ReadRefusal: Error, Equatable {
  public var decision: Decision

  public static func == (a: ReadRefusal, b: ReadRefusal) -> Bool { a.decision.rule == b.decision.rule }
}
