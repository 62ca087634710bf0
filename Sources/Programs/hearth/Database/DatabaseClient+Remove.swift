import HearthProgram
import HearthTree

extension DatabaseClient {
  /// The initial and maximum number of children removed by one request; it is limited, because the server decides no other command
  /// of the database meanwhile.
  private static let removedChildren = (first: 1_024, max: 16_384)

  /// Removes the data at a path: at once, or in parts when it exceeds the limit of one write. With `--as` it is always
  /// one write, so that rules see the whole.
  func remove(_ path: DataPath) async throws {
    while true {
      do {
        try await send(.DELETE, path, Self.writing)
        return
      } catch let failure as AdminFailure where failure.code == AdminFailure.writeTooBig && simulated == nil {
        Output.note("\(path.text) exceeds the size of one write; removing it in parts")
        guard try await removeChildren(of: path) else { throw failure }
      }
    }
  }

  /// Iterates forward over the children, so that it ends although other clients add some.
  ///
  /// - Returns: False when there are none.
  private func removeChildren(of path: DataPath) async throws -> Bool {
    var (last, limit): (String?, Int) = (nil, Self.removedChildren.first)
    while true {
      let keys = try await keys(of: path, after: last, limit: limit)
      guard let end = keys.last else { return last != nil }
      if try await remove(keys, of: path) {
        limit = min(Self.removedChildren.max, limit * 2)
      } else if keys.count > 1 {
        limit = max(1, keys.count / 4)
        continue
      } else {
        try await remove(path.appending(keys))
      }
      last = end
    }
  }

  /// - Returns: False when they exceed the limit of one write.
  private func remove(_ keys: [String], of path: DataPath) async throws -> Bool {
    do {
      try await send(.PATCH, path, Self.writing, body: JSON.object(keys.map { .init($0, .null) }).text())
      return true
    } catch let failure as AdminFailure where failure.code == AdminFailure.writeTooBig {
      return false
    }
  }

  private func keys(of path: DataPath, after key: String?, limit: Int) async throws -> [String] {
    var parameters: Parameters = [("shallow", "true"), ("limitToFirst", String(limit))]
    if let key { parameters.append(("startAfter", ReadFilters.quoted(key))) }
    return JSON(parsing: try await send(.GET, path, parameters))?.members?.map(\.name) ?? []
  }
}
