import HearthAccounts
import HearthEngine
import HearthTree

// A receipt is one JSON object on one line, in answers and in the file (line breaks for reading only):
//
//   {"id":7,"database":"default","cause":"revocation",
//    "revocation":{"number":6,"event":"user_disable","kind":"user","uid":"alice"},
//    "position":42,"time":1795312345678,"signedOut":2,"examined":5,"kept":3,"cancelled":2,"sent":2,"gone":0,"late":0,
//    "isComplete":true,"milliseconds":{"p50":0.9,"p99":1.3,"max":1.3},
//    "listeners":[{"connection":"2a01","path":"/rooms/1","uid":"alice","lastPosition":41,"milliseconds":1.3}],
//    "listenersOmitted":0,
//    "keptListeners":[{"connection":"2a02","path":"/rooms/1","uid":"bob","rule":{"kind":"read","path":"/rooms/$id","line":4,"column":16}}]}
//
// `time` is milliseconds since 1970. `milliseconds` are from the cause to the cancellation's last byte in the socket;
// causes other than a revocation are timed to the millisecond. A listener that was not sent its cancellation has
// `"outcome":"gone"` or `"late"` instead. Kept ones without a `rule` belong to clients that no rules apply to.
//
// In a cluster, `"node":"a"` behind the id is the node that keeps it. When the other nodes were asked for their
// results, counts, times and listeners are those of all nodes, each listener with its `"node"`, and behind `isComplete`
// come the nodes that it covers, first the one that keeps it, and those that did not answer:
//
//   "nodes":[{"name":"a","signedOut":1,"examined":2,"kept":1,"cancelled":1,"sent":1,"gone":0,"late":0}],"unanswered":["c"]
extension Receipt {
  /// Returns the receipt as JSON.
  ///
  /// - Parameter limits: the maximum number of listeners, and the resulting length of the line.
  func json(limits: ReceiptLimits) -> JSON {
    var members: [JSON.Member] = [.init("id", .int(Int64(clamping: id)))]
    if let node { members.append(.init("node", .string(node))) }
    members += [.init("database", database.map { .string($0) } ?? .null), .init("cause", .string(cause.word))]
    if case .revocation(let number, let revocation, let event) = cause {
      members.append(
        .init(
          "revocation",
          .object(
            [.init("number", .int(Int64(clamping: number))), .init("event", .string(event.rawValue))]
              + Self.members(of: revocation))))
    }
    members += [.init("position", .int(position)), .init("time", .int(wallMilliseconds))]
    if let connection { members.append(.init("connection", .string(Self.trace(connection)))) }
    var all = counts
    for node in elsewhere?.nodes ?? [] { all += node.counts }
    members += all.members
    members.append(.init("isComplete", .bool(isComplete && elsewhere?.silent.isEmpty ?? true)))
    members += nodes
    if let last = microseconds.last {
      members.append(
        .init(
          "milliseconds",
          .object([
            .init("p50", Self.milliseconds(percentile(50))), .init("p99", Self.milliseconds(percentile(99))),
            .init("max", Self.milliseconds(last)),
          ])))
    }
    let (cut, kept) = listenersJSON(bytesMax: limits.lineBytesMax)
    members.append(.init("listeners", .array(cut)))
    members.append(.init("listenersOmitted", .int(Int64(all.cancelled - cut.count))))
    members.append(.init("keptListeners", .array(kept)))
    return .object(members)
  }

  /// The nodes that the receipt covers, when other nodes were asked.
  private var nodes: [JSON.Member] {
    guard let elsewhere, let node else { return [] }
    let answered = [(name: node, counts: counts)] + elsewhere.nodes
    return [
      .init("nodes", .array(answered.map { .object([.init("name", .string($0.name))] + $0.counts.members) })),
      .init("unanswered", .array(elsewhere.silent.map { .string($0) })),
    ]
  }

  /// Returns the first cancelled listeners, then the first of the kept ones, in no more than so many bytes.
  func listenersJSON(bytesMax: Int) -> (cut: [JSON], kept: [JSON]) {
    let own = elsewhere == nil ? nil : node
    var left = bytesMax
    func fitting(_ all: some Sequence<JSON>) -> [JSON] {
      var shown: [JSON] = []
      for json in all {
        left -= json.text().count
        guard left >= 0 else { break }
        shown.append(json)
      }
      return shown
    }
    let cut = fitting(listeners.lazy.map { $0.json.naming(own) } + (elsewhere?.listeners ?? []))
    return (cut, fitting(kept.lazy.map { $0.json.naming(own) } + (elsewhere?.kept ?? [])))
  }

  /// Returns the members that name the subject of a revocation.
  private static func members(of revocation: Revocation) -> [JSON.Member] {
    switch revocation {
    case .user(let uid): [.init("kind", .string("user")), .init("uid", .string(uid))]
    case .tenant(let id): [.init("kind", .string("tenant")), .init("tenant", .string(id))]
    // A session's id is no credential, but readers of receipts do not need it.
    case .legacySession: [.init("kind", .string("session"))]
    case .signingKey(let id): [.init("kind", .string("key")), .init("key", .string(id))]
    case .legacySecret: [.init("kind", .string("secret"))]
    case .foreignTokens(let tokens): members(of: tokens)
    case .serviceAccount(let email): [.init("kind", .string("serviceAccount")), .init("email", .string(email))]
    }
  }

  private static func members(of tokens: ForeignTokenRevocation) -> [JSON.Member] {
    var members: [JSON.Member] = [.init("kind", .string("foreignTokens")), .init("plugin", .string(tokens.verifier))]
    if tokens.isEverything { members.append(.init("everything", .bool(true))) }
    if !tokens.digests.isEmpty { members.append(.init("tokens", .int(Int64(tokens.digests.count)))) }
    if tokens.uids.count == 1, let uid = tokens.uids.first { members.append(.init("uid", .string(uid))) }
    if tokens.uids.count > 1 { members.append(.init("uids", .int(Int64(tokens.uids.count)))) }
    return members
  }

  /// Returns the percentile by nearest rank.
  private func percentile(_ percent: Int) -> Int64 {
    microseconds[max(0, (microseconds.count * percent + 99) / 100 - 1)]
  }

  /// Returns the name of a connection in the log.
  static func trace(_ connection: ConnectionID) -> String { String(connection.rawValue, radix: 16) }

  static func milliseconds(_ microseconds: Int64) -> JSON { .double(Double(microseconds) / 1000) }
}

extension Receipt.Listener {
  fileprivate var json: JSON {
    var members: [JSON.Member] = [
      .init("connection", .string(Receipt.trace(connection))), .init("path", .string(name.path.description)),
    ]
    if let query { members.append(.init("query", query)) }
    if let uid { members.append(.init("uid", .string(uid))) }
    members.append(.init("lastPosition", .int(lastPosition)))
    switch outcome {
    case .sent(let microseconds): members.append(.init("milliseconds", Receipt.milliseconds(microseconds)))
    case .gone: members.append(.init("outcome", .string("gone")))
    case .late: members.append(.init("outcome", .string("late")))
    }
    return .object(members)
  }
}

extension Redecision.Kept {
  fileprivate var json: JSON {
    var members: [JSON.Member] = [
      .init("connection", .string(Receipt.trace(connection))), .init("path", .string(path.description)),
    ]
    if let query { members.append(.init("query", query.wire)) }
    if let uid { members.append(.init("uid", .string(uid))) }
    guard let rule else { return .object(members) }
    members.append(
      .init(
        "rule",
        .object(
          [.init("kind", .string(rule.kind.rawValue)), .init("path", .string(rule.pathTemplate))]
            + (rule.file.map { [.init("file", .string($0))] } ?? [])
            + [.init("line", .int(Int64(rule.line))), .init("column", .int(Int64(rule.column)))])))
    return .object(members)
  }
}

extension JSON {
  /// Returns the same listener, with the name of its node.
  func naming(_ node: String?) -> JSON {
    guard let node, case .object(let members) = self else { return self }
    return .object([.init("node", .string(node))] + members)
  }
}
