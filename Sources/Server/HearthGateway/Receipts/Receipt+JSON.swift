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
    var json: JSON = ["id": .int(Int64(clamping: id))]
    if let node { json["node"] = .string(node) }
    json["database"] = database.map { .string($0) } ?? .null
    json["cause"] = .string(cause.word)
    if case .revocation(let number, let revocation, let event) = cause {
      let head: JSON = ["number": .int(Int64(clamping: number)), "event": .string(event.rawValue)]
      json["revocation"] = head.appending(Self.json(revocation))
    }
    json["position"] = .int(position)
    json["time"] = .int(wallMilliseconds)
    if let connection { json["connection"] = .string(Self.trace(connection)) }
    var all = counts
    for node in remoteResults?.nodes ?? [] { all += node.counts }
    json = json.appending(all.json)
    json["isComplete"] = .bool(isComplete && remoteResults?.silent.isEmpty ?? true)
    if let remoteResults, let node {
      let answered = [(name: node, counts: counts)] + remoteResults.nodes
      json["nodes"] = .array(answered.map { $0.counts.json.naming($0.name, as: "name") })
      json["unanswered"] = .array(remoteResults.silent.map { .string($0) })
    }
    if let last = microseconds.last {
      json["milliseconds"] = [
        "p50": Self.milliseconds(percentile(50)), "p99": Self.milliseconds(percentile(99)),
        "max": Self.milliseconds(last),
      ]
    }
    let (cut, kept) = listenersJSON(bytesMax: limits.lineBytesMax)
    json["listeners"] = .array(cut)
    json["listenersOmitted"] = .int(Int64(all.cancelled - cut.count))
    json["keptListeners"] = .array(kept)
    return json
  }

  /// Returns the first cancelled listeners, then the first of the kept ones, in no more than so many bytes.
  func listenersJSON(bytesMax: Int) -> (cut: [JSON], kept: [JSON]) {
    let own = remoteResults == nil ? nil : node
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
    let cut = fitting(listeners.lazy.map { $0.json.naming(own) } + (remoteResults?.listeners ?? []))
    return (cut, fitting(kept.lazy.map { $0.json.naming(own) } + (remoteResults?.kept ?? [])))
  }

  /// Returns the members that name the subject of a revocation.
  private static func json(_ revocation: Revocation) -> JSON {
    switch revocation {
    case .user(let uid): ["kind": "user", "uid": .string(uid)]
    case .tenant(let id): ["kind": "tenant", "tenant": .string(id)]
    // A session's id is no credential, but readers of receipts do not need it.
    case .legacySession: ["kind": "session"]
    case .signingKey(let id): ["kind": "key", "key": .string(id)]
    case .legacySecret: ["kind": "secret"]
    case .foreignTokens(let tokens): json(tokens)
    case .serviceAccount(let email): ["kind": "serviceAccount", "email": .string(email)]
    }
  }

  private static func json(_ tokens: ForeignTokenRevocation) -> JSON {
    var json: JSON = ["kind": "foreignTokens"]
    if let issuer = tokens.issuer {
      json["issuer"] = .string(issuer)
    } else {
      json["plugin"] = .string(tokens.verifier)
    }
    if tokens.isEverything { json["everything"] = true }
    if !tokens.digests.isEmpty { json["tokens"] = .int(Int64(tokens.digests.count)) }
    if tokens.uids.count == 1, let uid = tokens.uids.first { json["uid"] = .string(uid) }
    if tokens.uids.count > 1 { json["uids"] = .int(Int64(tokens.uids.count)) }
    return json
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
    var json: JSON = ["connection": .string(Receipt.trace(connection)), "path": .string(name.path.description)]
    if let query { json["query"] = query }
    if let uid { json["uid"] = .string(uid) }
    json["lastPosition"] = .int(lastPosition)
    switch outcome {
    case .sent(let microseconds): json["milliseconds"] = Receipt.milliseconds(microseconds)
    case .gone: json["outcome"] = "gone"
    case .late: json["outcome"] = "late"
    }
    return json
  }
}

extension Redecision.Kept {
  fileprivate var json: JSON {
    var json: JSON = ["connection": .string(Receipt.trace(connection)), "path": .string(path.description)]
    if let query { json["query"] = query.wire }
    if let uid { json["uid"] = .string(uid) }
    guard let rule else { return json }
    var place: JSON = ["kind": .string(rule.kind.rawValue), "path": .string(rule.pathTemplate)]
    if let file = rule.file { place["file"] = .string(file) }
    json["rule"] = place.appending(["line": .int(Int64(rule.line)), "column": .int(Int64(rule.column))])
    return json
  }
}

extension JSON {
  /// The same listener, or counts, with the name of the node that they are of.
  func naming(_ node: String?, as name: String = "node") -> JSON {
    guard let node else { return self }
    return ([name: .string(node)] as JSON).appending(self)
  }
}
