import HearthRules
import HearthTree

extension DatabaseState {
  /// Returns the data at `path` as `principal` may read it, on any thread.
  ///
  /// - Parameter query: The query that the rules evaluate; it does not filter the result.
  /// - Throws: ``ReadRefusal`` with the rule that decided.
  public func read(
    _ path: Path, as principal: Principal, nowMilliseconds: Int64, query: Query? = nil
  ) throws(ReadRefusal) -> Node {
    var stepsTaken = 0
    return try read(path, as: principal, nowMilliseconds: nowMilliseconds, query: query, stepsTaken: &stepsTaken)
  }

  /// Reads the value at `path`, and adds the steps of the rules to `stepsTaken`.
  func read(
    _ path: Path, as principal: Principal, nowMilliseconds: Int64, query: Query? = nil, stepsTaken: inout Int
  ) throws(ReadRefusal) -> Node {
    guard !principal.readsAll else { return root[path] }
    let request = ReadRequest(
      path: path, root: root, auth: principal.auth, nowMilliseconds: nowMilliseconds, query: query)
    if let decision = rules.refusal(of: request, stepsTaken: &stepsTaken) { throw ReadRefusal(decision: decision) }
    return root[path]
  }

  /// Decides whether a principal may read; returns nil when the rules need not be evaluated.
  func decideRead(
    _ path: Path, as principal: Principal, at now: Instant, query: Query? = nil, detail: DecisionDetail
  ) -> Decision? {
    guard !principal.readsAll else { return nil }
    let request = ReadRequest(
      path: path, root: root, auth: principal.auth, nowMilliseconds: now.wallMilliseconds, query: query)
    return rules.decideRead(request, detail: detail)
  }

  /// Returns the refusal when the rules deny a principal the read, or nil.
  func readRefusal(_ path: Path, _ principal: Principal, at now: Instant) -> ReadRefusal? {
    var stepsTaken = 0
    return readRefusal(path, principal, at: now, stepsTaken: &stepsTaken)
  }

  /// Returns the refusal when the rules deny a principal the read, or nil, and adds the steps of the rules to
  /// `stepsTaken`.
  func readRefusal(
    _ path: Path, _ principal: Principal, at now: Instant, stepsTaken: inout Int
  ) -> ReadRefusal? {
    do {
      _ = try read(path, as: principal, nowMilliseconds: now.wallMilliseconds, stepsTaken: &stepsTaken)
      return nil
    } catch {
      return error
    }
  }

  /// Returns true when a principal may read all data in the answer to a write. Permission to read a location includes
  /// all data below it.
  func mayShow(_ operation: WriteOperation, to principal: Principal, at now: Instant) -> Bool {
    let shown = operation.shownPaths
    return shown.isEmpty || readRefusal(operation.path, principal, at: now) == nil
      || shown.allSatisfy { readRefusal($0, principal, at: now) == nil }
  }
}

/// An error for a read that the rules deny. Two refusals are equal when the same rule decided.
public struct ReadRefusal: Error, Equatable {
  /// The rules' decision, with the deciding rule.
  public var decision: Decision

  public static func == (a: ReadRefusal, b: ReadRefusal) -> Bool { a.decision.rule == b.decision.rule }
}
