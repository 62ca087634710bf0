import HearthDatabase
import HearthEngine
import HearthSystem
import HearthTree

/// `GET /.settings/history.json`: the changes of a path, for administrators.
///
/// | parameter | |
/// |---|---|
/// | `path` | the path, such as `/rooms/lobby`; without it all of the database |
/// | `before` | only commits before this position; without it the newest |
/// | `limit` | the maximum number; 100 |
///
/// The answer is `{"path": …, "changes": […], "before": POSITION, "oldest": POSITION}`, the newest first; `before` is
/// present when there may be more, for the next request. A change has `position`, `time`, `by` and `rules` where these
/// are kept, `from` and `to`. A value whose text is longer than 64 KiB is replaced by `fromIsLarge` or `toIsLarge`;
/// `?at=` reads it.
struct HistoryList {
  /// The maximum size of a value in the response.
  static let valueBytesMax = 64 << 10

  let call: RESTCall
  let selection: HistorySelection

  func answer() throws(RESTFailure) {
    guard call.request.method.isRead else { throw .methodNotAllowed }
    let (selection, isPretty) = (selection, call.request.isPretty)
    call.withReading { source in
      guard case .database(let database) = source else {
        return call.completion(RESTResponse(body: Self.text(of: [], selection, nil, 0, isPretty)))
      }
      let end = Clock.monotonicMilliseconds + HistoryReader.searchMilliseconds
      call.readHistory(database) { (history, isCancelled) throws(HistoryError) in
        let page = try history.changes(
          of: selection.path, before: selection.before, countMax: selection.limit,
          isLate: { Clock.monotonicMilliseconds > end }, isCancelled: isCancelled)
        return RESTResponse(body: Self.text(of: page.changes, selection, page.before, page.oldestPosition, isPretty))
      } completion: {
        call.completion($0)
      }
    }
  }

  private static func text(
    of changes: [HistoryChange], _ selection: HistorySelection, _ before: Int64?, _ oldest: Int64, _ isPretty: Bool
  ) -> [UInt8] {
    var writer = RESTObjectWriter(pretty: isPretty)
    writer.member("path") { $0.bytes += JSON.string(selection.path.description).text() }
    writer.member("changes") { writer in
      writer.write(raw: "[")
      for (index, change) in changes.enumerated() {
        if index > 0 { writer.write(raw: ",") }
        write(change, to: &writer)
      }
      writer.write(raw: "]")
    }
    if let before { writer.member("before") { $0.write(before) } }
    writer.member("oldest") { $0.write(oldest) }
    return writer.finish()
  }

  private static func write(_ change: HistoryChange, to writer: inout JSONWriter) {
    let time = Timestamp.text(milliseconds: change.wallMilliseconds)
    writer.bytes += "{\"position\":\(change.position),\"time\":\"\(time)\"".utf8
    if let author = change.author {
      writer.write(raw: ",\"by\":")
      writer.bytes += author.json.text()
    }
    if let grant = change.grant {
      writer.write(raw: ",\"rules\":")
      writer.bytes += JSON.array(grant.ruleNames.map { .string($0) }).text()
      if grant.isCut { writer.write(raw: ",\"rulesAreMore\":true") }
    }
    for (name, node) in [("from", change.from), ("to", change.to)] {
      if JSONSize.exceeds(node, bytes: valueBytesMax) {
        writer.bytes += ",\"\(name)IsLarge\":true".utf8
      } else {
        writer.bytes += ",\"\(name)\":".utf8
        writer.bytes += node.json(.export)
      }
    }
    writer.write(raw: "}")
  }
}

extension CommitAuthor {
  /// The author as JSON for programs: `uid`, `provider`, `connection`, `address` and `isAdministrator`.
  fileprivate var json: JSON {
    var json: JSON = [:]
    if let uid { json["uid"] = .string(uid) }
    if let provider { json["provider"] = .string(provider) }
    json["connection"] = "\(connection.rawValue)"
    json["address"] = .string(address.name)
    if isAdministrator { json["isAdministrator"] = true }
    return json
  }
}
