import HearthRules
import HearthTree

extension Published {
  /// Reads what is at `path` as `principal`, on any thread.
  ///
  /// - Parameter query: What the rules see as `query`; it does not change what is returned.
  /// - Throws: ``ReadRefusal`` with the rule that decided.
  public func read(
    _ path: Path, as principal: Principal, nowMilliseconds: Int64, query: Query? = nil
  ) throws(ReadRefusal) -> Node {
    guard !principal.readsAll else { return root[path] }
    let request = ReadRequest(
      path: path, root: root, auth: principal.auth, nowMilliseconds: nowMilliseconds, query: query)
    if let decision = rules.refusal(of: request) { throw ReadRefusal(decision: decision) }
    return root[path]
  }

  /// Asks the rules whether somebody may read; nil means that they need not be asked.
  func decideRead(
    _ path: Path, as principal: Principal, at now: Instant, query: Query? = nil, detail: DecisionDetail
  ) -> Decision? {
    guard !principal.readsAll else { return nil }
    let request = ReadRequest(
      path: path, root: root, auth: principal.auth, nowMilliseconds: now.wallMilliseconds, query: query)
    return rules.decideRead(request, detail: detail)
  }

  /// The rules' word when they do not let somebody read what is there.
  func readRefusal(_ path: Path, _ principal: Principal, at now: Instant) -> ReadRefusal? {
    do {
      _ = try read(path, as: principal, nowMilliseconds: now.wallMilliseconds)
      return nil
    } catch {
      return error
    }
  }

  /// Returns true when a principal may read all that the answer to a write shows. The right to read a place covers
  /// everything below it.
  func mayShow(_ operation: WriteOperation, to principal: Principal, at now: Instant) -> Bool {
    let shown = operation.shownPaths
    return shown.isEmpty || readRefusal(operation.path, principal, at: now) == nil
      || shown.allSatisfy { readRefusal($0, principal, at: now) == nil }
  }
}

/// The rules do not let somebody read. Two refusals are equal when the same rule decided.
public struct ReadRefusal: Error, Equatable {
  /// What the rules said, and which of them decided.
  public var decision: Decision

  public static func == (a: ReadRefusal, b: ReadRefusal) -> Bool { a.decision.rule == b.decision.rule }
}
