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
//    "listenersOmitted":0}
//
// `time` is milliseconds since 1970. `milliseconds` are from the cause to the cancellation's last byte in the socket;
// causes other than a revocation are timed to the millisecond. A listener that was not sent its cancellation has
// `"outcome":"gone"` or `"late"` instead.
extension Receipt {
  /// - Parameter limits: how many listeners are named, and how long the line may become by them.
  func json(limits: ReceiptLimits) -> JSON {
    var members: [JSON.Member] = [
      .init("id", .int(Int64(clamping: id))), .init("database", database.map { .string($0) } ?? .null),
      .init("cause", .string(cause.word)),
    ]
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
    members += counts
    if let last = microseconds.last {
      members.append(
        .init(
          "milliseconds",
          .object([
            .init("p50", Self.milliseconds(percentile(50))), .init("p99", Self.milliseconds(percentile(99))),
            .init("max", Self.milliseconds(last)),
          ])))
    }
    let shown = listenersJSON(bytes: limits.lineBytesMax)
    members.append(.init("listeners", .array(shown)))
    members.append(.init("listenersOmitted", .int(Int64(cancelledCount - shown.count))))
    return .object(members)
  }

  private var counts: [JSON.Member] {
    [
      .init("signedOut", .int(Int64(signedOutCount))), .init("examined", .int(Int64(examinedCount))),
      .init("kept", .int(Int64(keptCount))), .init("cancelled", .int(Int64(cancelledCount))),
      .init("sent", .int(Int64(microseconds.count))), .init("gone", .int(Int64(goneCount))),
      .init("late", .int(Int64(lateCount))), .init("isComplete", .bool(isComplete)),
    ]
  }

  private func listenersJSON(bytes: Int) -> [JSON] {
    var (shown, left): ([JSON], Int) = ([], bytes)
    for listener in listeners {
      let json = listener.json
      left -= json.text().count
      guard left >= 0 else { break }
      shown.append(json)
    }
    return shown
  }

  /// Of whom.
  private static func members(of revocation: Revocation) -> [JSON.Member] {
    switch revocation {
    case .user(let uid): [.init("kind", .string("user")), .init("uid", .string(uid))]
    // A session's id opens nothing, but readers of receipts do not need it.
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

  /// The nearest rank.
  private func percentile(_ percent: Int) -> Int64 {
    microseconds[max(0, (microseconds.count * percent + 99) / 100 - 1)]
  }

  /// How the log names a connection.
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
