import HearthRules
import HearthTree

extension RecordedDecision {
  /// Creates the decision of a read from a version of a database.
  public convenience init(
    _ operation: Operation, _ path: Path, query: Query?, as principal: Principal, of state: DatabaseState,
    nowMilliseconds: Int64, isAllowed: Bool
  ) {
    let request = ReadRequest(
      path: path, root: state.root, auth: principal.auth, nowMilliseconds: nowMilliseconds, query: query)
    self.init(
      operation: operation, request: .read(request), rules: state.rules, isAllowed: isAllowed, uid: principal.uid,
      sizeBytes: query?.textBytes ?? 0)
  }
}

extension Query {
  /// The bytes of the strings in the query, whose size clients choose.
  fileprivate var textBytes: Int {
    [start, end].reduce(0) { bytes, bound in
      var bytes = bytes
      if case .string(let text)? = bound?.value { bytes += text.utf8.count }
      if case .key(let key)? = bound?.key { bytes += key.text.utf8.count }
      return bytes
    }
  }
}
