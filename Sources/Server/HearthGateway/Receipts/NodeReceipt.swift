import HearthTree

/// The report of a node of a cluster to another on a revocation: the results for its own clients in one database.
///
/// ```
/// {"receipts":[{"database":"default","position":42,"signedOut":1,"examined":1,"kept":0,"cancelled":1,"sent":1,"gone":0,
///               "late":0,"isComplete":true,"microseconds":[900],"listeners":[{…}],"keptListeners":[{…}]}]}
/// ```
///
/// Listeners are as in a ``Receipt``'s line. When they, or the times, would take too many bytes, some are left out;
/// counts are those of all.
struct NodeReceipt: Sendable {
  /// The database; nil for a revocation that concerned none of the node's connections.
  var database: String?
  /// The position, in the database's commit order, of the last of the node's decisions.
  var position: Int64
  var counts: ReceiptCounts
  /// True when all clients were notified.
  var isComplete: Bool
  /// The sorted times from the node's notice of the revocation to each cancellation's last byte in the socket.
  var microseconds: [Int64]
  /// The first cancelled listeners.
  var listeners: [JSON]
  /// The first listeners that continue; empty from a node of an earlier version.
  var kept: [JSON]

  /// A node cannot encode its results within the limits.
  struct TooMuch: Error {}

  /// Returns the encoded receipts for a node's response.
  ///
  /// - Throws: ``TooMuch`` for more databases than there is room for.
  static func encoded(_ receipts: [Receipt], limits: ReceiptLimits) throws(TooMuch) -> [UInt8] {
    guard receipts.count <= limits.nodeReceiptsMax else { throw TooMuch() }
    let share = max(1, receipts.count)
    let list = receipts.map { receipt -> JSON in
      let times = sample(receipt.microseconds.sorted(), countMax: limits.nodeTimesMax / share)
      let (cut, kept) = receipt.listenersJSON(bytesMax: limits.nodeListenersBytesMax / share)
      let place: JSON = [
        "database": receipt.database.map { .string($0) } ?? .null, "position": .int(receipt.position),
      ]
      return place.appending(receipt.counts.json).appending([
        "isComplete": .bool(receipt.isComplete), "microseconds": .array(times.map { .int($0) }),
        "listeners": .array(cut), "keptListeners": .array(kept),
      ])
    }
    return (["receipts": .array(list)] as JSON).text()
  }

  /// Returns some of sorted times, evenly spaced, including the last.
  private static func sample(_ times: [Int64], countMax: Int) -> [Int64] {
    guard times.count > countMax, countMax > 0 else { return times }
    return (1...countMax).map { times[times.count * $0 / countMax - 1] }
  }

  /// Parses another node's response.
  ///
  /// - Returns: nil for any other bytes.
  static func decoded(_ bytes: [UInt8], limits: ReceiptLimits) -> [NodeReceipt]? {
    guard let list = JSON(parsing: bytes)?["receipts"]?.array, list.count <= limits.nodeReceiptsMax else { return nil }
    var receipts: [NodeReceipt] = []
    for json in list {
      guard let receipt = NodeReceipt(json, limits: limits) else { return nil }
      receipts.append(receipt)
    }
    return receipts
  }

  private init?(_ json: JSON, limits: ReceiptLimits) {
    let database = json["database"]?.string
    guard let counts = ReceiptCounts(json), let position = json["position"]?.int, position >= 0,
      let isComplete = json["isComplete"]?.bool, (database?.utf8.count ?? 1) > 0,
      database?.utf8.count ?? 0 <= limits.nodeDatabaseBytesMax,
      let times = json["microseconds"]?.array?.map(\.int), times.count <= min(counts.sent, limits.nodeTimesMax),
      let listeners = json["listeners"]?.array, listeners.count <= min(counts.cancelled, limits.listenersMax)
    else { return nil }
    let kept = json["keptListeners"]?.array ?? []
    guard kept.count <= min(counts.kept, limits.keptMax) else { return nil }
    let microseconds = times.compactMap { $0 }.filter { $0 >= 0 }
    guard microseconds.count == times.count else { return nil }
    (self.database, self.position, self.counts, self.isComplete) = (database, position, counts, isComplete)
    (self.microseconds, self.listeners, self.kept) = (microseconds, [], [])
    for listener in listeners {
      guard let known = Self.listener(listener) else { return nil }
      self.listeners.append(known)
    }
    for listener in kept {
      guard let known = Self.listener(listener) else { return nil }
      self.kept.append(known)
    }
  }

  /// Returns a listener with its known members alone; nil for any other value.
  private static func listener(_ json: JSON) -> JSON? {
    guard json["connection"]?.string != nil, json["path"]?.string != nil, case .object(let members) = json else {
      return nil
    }
    return .object(members.filter { known.contains($0.name) })
  }

  private static let known: Set = [
    "connection", "path", "query", "uid", "lastPosition", "milliseconds", "outcome", "rule",
  ]
}
