import HearthEngine
import HearthTree

extension Effect {
  /// The lines of a ``Scenario`` for this effect.
  ///
  /// - Parameter showsReceipts: True to include effects without a connected recipient.
  package func scenarioLines(showsReceipts: Bool = true) -> [String] {
    guard case .redecided(let redecision) = self else { return [scenarioText] }
    return redecision.cancelled.flatMap { [$0.scenarioText(redecision.cause), $0.denial.scenarioText] }
      + (showsReceipts ? [redecision.scenarioText] : [])
  }

  private var scenarioText: String {
    switch self {
    case .event(let event, let recipients):
      let names = recipients.map { "\($0.rawValue)" }.joined(separator: ",")
      return "\(names) < \(event.scenarioText)"
    case .reply(let connection, _, let reply): return "\(connection.rawValue) \(reply.scenarioText)"
    case .queryEvent(let event, let recipients):
      let names = recipients.map { "\($0.connection.rawValue)#\($0.tag)" }.joined(separator: ",")
      return "\(names) < \(event.scenarioText)"
    case .redecided(let redecision): return redecision.scenarioText
    case .authenticationEnded(let connection): return "\(connection.rawValue) < ended"
    case .denied(let denial): return denial.scenarioText
    }
  }
}

extension Event {
  fileprivate var scenarioText: String {
    switch change {
    case .put(let node): return "put \(path) \(node.scenarioText)"
    case .merge(let entries):
      let parts = entries.map { entry in
        "\(entry.path.keys.map(\.text).joined(separator: "/")): \(entry.node.scenarioText)"
      }
      return "merge \(path) {\(parts.joined(separator: ", "))}"
    case .ranges(let ranges):
      func place(_ path: Path?) -> String { path.map { $0.keys.map(\.text).joined(separator: "/") } ?? "" }
      let parts = ranges.map { "\(place($0.start))..\(place($0.end)): \($0.node.scenarioText)" }
      return "ranges \(path) {\(parts.joined(separator: ", "))}"
    }
  }
}

extension Redecision.Cancelled {
  fileprivate func scenarioText(_ cause: Cancellation) -> String {
    let tag = tag.map { "#\($0)" } ?? ""
    return "\(connection.rawValue)\(tag) < cancel \(name.path) \(cause.scenarioText)"
  }
}

extension Redecision {
  fileprivate var scenarioText: String {
    let revocation = revocation.map { " revocation \($0)" } ?? ""
    let connection = connection.map { " of \($0.rawValue)" } ?? ""
    let cut = cancelled.map { cancelled in
      let tag = cancelled.name.tag.map { "#\($0)" } ?? ""
      let uid = cancelled.uid.map { " \($0)" } ?? ""
      return ", cut \(cancelled.connection.rawValue)\(tag)\(uid) \(cancelled.name.path) told \(cancelled.lastPosition)"
    }
    let kept = kept.map { kept in
      let who = kept.uid.map { " \($0)" } ?? ""
      let line = kept.rule.map { "\($0.line)" } ?? "none"
      return ", keeps \(kept.connection.rawValue)\(who) \(kept.path) by line \(line)"
    }
    return "redecided \(cause.scenarioText)\(revocation)\(connection) at \(position): "
      + "examined \(examinedCount), kept \(keptCount)\(kept.joined())\(cut.joined())"
  }
}

extension Reply {
  fileprivate var scenarioText: String {
    switch self {
    case .ok: "ok"
    case .listening(let isIndexed): isIndexed ? "ok" : "ok no_index"
    case .result(let result): "value \(result.node.scenarioText)"
    case .value(let node): "value \(node.scenarioText)"
    case .written(let node): "written \(node.scenarioText)"
    case .stale(let node): "stale \(node.scenarioText)"
    case .failure(let failure): failure.code.rawValue
    }
  }
}

extension Cancellation {
  fileprivate var scenarioText: String {
    switch self {
    case .data(let position): "data@\(position)"
    case .rules(let position): "rules@\(position)"
    case .identity: "identity"
    case .expiry: "expiry"
    case .revocation: "revocation"
    case .clock: "clock"
    }
  }
}

extension Denial {
  fileprivate var scenarioText: String {
    let name =
      switch operation {
      case .listen: "listen"
      case .get: "get"
      case .put: "put"
      case .merge: "merge"
      case .compare: "compare"
      case .deployRules: "deploy"
      case .onDisconnect: "ondisconnect"
      case .transact: "transact"
      case .cancellation: "cancellation"
      }
    let rule = rule.map { ".\($0.kind.rawValue) at \($0.pathTemplate)" } ?? "no rule"
    return "log \(connection.rawValue) \(name) \(path): \(rule)"
  }
}

extension Node {
  fileprivate var scenarioText: String { String(decoding: json(.export), as: UTF8.self) }
}
