import HearthGateway
import HearthRules

/// A request that rules refused, with equal ones.
package struct RecentDenial: Sendable {
  /// The time of the last one, in milliseconds since 1970.
  package var atMilliseconds: Int64
  /// The name of the database.
  package var database: String
  /// The operation in one word, such as `put`.
  package var operation: String
  /// The path of the request.
  package var path: String
  /// The uid; nil for a signed-out client.
  package var uid: String?
  /// The number of equal denials.
  package var count: Int
  /// The reason in one sentence.
  package var sentence: String
  /// The evaluation of the rules; nil when the request was not kept, or no rule was asked.
  package var explanation: Explanation?
}

extension HearthServer {
  /// Returns the newest denials, the oldest first. Equal ones of any connection are one, at the place of the last.
  ///
  /// - Parameter limit: The maximum number of different denials.
  /// - Returns: The denials, and the number of omitted different ones.
  package func recentDenials(_ limit: Int) -> (denials: [RecentDenial], omittedCount: Int) {
    guard let log = parts?.services.denials, let feed = log.feed else { return ([], 0) }
    var cursor = feed.cursor(after: nil, newest: DenialFeed.countMax)
    var (denials, indexes): ([RecentDenial], [DenialKey: Int]) = ([], [:])
    for entry in feed.read(&cursor, limit: DenialFeed.countMax).entries.reversed() {
      let key = DenialKey(entry)
      if let index = indexes[key] {
        denials[index].count += entry.count
        continue
      }
      indexes[key] = denials.count
      let record = denials.count < limit ? log.records.record(ofEntry: entry.id) : nil
      denials.append(
        RecentDenial(
          atMilliseconds: entry.atMilliseconds, database: entry.database, operation: entry.operation, path: entry.path,
          uid: entry.uid, count: entry.count, sentence: entry.sentence,
          explanation: record.flatMap { record in
            record.request.map {
              Explanation(operation: entry.operation, path: record.path, decision: $0.explained())
            }
          }))
    }
    return (denials.prefix(limit).reversed(), max(0, denials.count - limit))
  }
}

/// The parts of a denial that equal ones share.
private struct DenialKey: Hashable {
  var texts: [String?]

  init(_ entry: DenialFeed.Entry) {
    texts = [entry.database, entry.operation, entry.path, entry.uid, entry.sentence]
  }
}
