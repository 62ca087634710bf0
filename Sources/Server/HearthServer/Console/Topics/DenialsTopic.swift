import HearthGateway
import HearthTree

/// The topic `denials`: denials of the database as they occur, with equal ones joined. `gap` is the number of those that are in no
/// entry.
struct DenialsTopic: ConsoleTopic {
  static let name = "denials"
  /// The maximum number of earlier denials that a new page gets.
  private static let newestMax = 200
  /// The maximum number of denials in each tick: more than a page can show.
  private static let perTickMax = 100

  /// The last denial that the page has; nil when it has none.
  let after: UInt64?

  init(_ parameters: [String: String]) throws(ConsoleFailure) {
    guard let text = parameters["after"] else {
      after = nil
      return
    }
    guard let id = UInt64(text) else { throw ConsoleFailure(.badRequest, "after must be the id of a denial.") }
    after = id
  }

  func begin(_ sources: ConsoleTopicSources) -> any ConsoleTopicFeed {
    let feed = sources.services.denials.feed
    return Feed(sources.database.name, feed, feed?.cursor(after: after, newest: Self.newestMax))
  }

  private final class Feed: ConsoleTopicFeed {
    private let database: String
    private let feed: DenialFeed?
    private var cursor: DenialFeed.Cursor?

    init(_ database: String, _ feed: DenialFeed?, _ cursor: DenialFeed.Cursor?) {
      (self.database, self.feed, self.cursor) = (database, feed, cursor)
    }

    func write(to text: inout EventText) {
      guard let feed, var cursor else { return }
      let (entries, missed) = feed.read(&cursor, limit: DenialsTopic.perTickMax)
      self.cursor = cursor
      if missed > 0 { text.add("gap", ["missed": .int(Int64(missed))]) }
      for entry in entries where entry.database == database { text.add("denial", entry.json) }
    }
  }
}

extension DenialFeed.Entry {
  /// The denial as JSON for the page.
  var json: JSON {
    func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
    let rule = rule.map { rule in
      [
        "kind": .string(rule.kind), "path": .string(rule.path), "line": .int(Int64(rule.line)),
        "column": .int(Int64(rule.column)),
      ] as JSON
    }
    return [
      "id": .string(String(id)), "at": .int(atMilliseconds), "database": .string(database),
      "operation": .string(operation), "cause": text(cause), "path": .string(path), "uid": text(uid),
      "tenant": text(tenant), "connection": text(connection), "trace": text(trace), "count": .int(Int64(count)),
      "rule": rule ?? .null, "sentence": .string(sentence),
    ]
  }
}
