import ArgumentParser
import HearthTree

/// The filters and order of the children to read.
struct ReadFilters: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Order by a child's key (such as height, or a path below each child), or by $key, $value or $priority.",
      valueName: "key"))
  var orderBy: String?

  @Option(
    help: ArgumentHelp("Start at this value. Quote a string that looks like a number: '\"5\"'.", valueName: "value"))
  var startAt: String?

  @Option(help: ArgumentHelp("Start after this value.", valueName: "value"))
  var startAfter: String?

  @Option(help: ArgumentHelp("End at this value.", valueName: "value"))
  var endAt: String?

  @Option(help: ArgumentHelp("End before this value.", valueName: "value"))
  var endBefore: String?

  @Option(help: ArgumentHelp("Only children with this value.", valueName: "value"))
  var equalTo: String?

  @Option(help: ArgumentHelp("Only the first children, at most this many.", valueName: "count"))
  var limitToFirst: Int?

  @Option(help: ArgumentHelp("Only the last children, at most this many.", valueName: "count"))
  var limitToLast: Int?

  func validate() throws {
    let bounds = [startAt, startAfter, endAt, endBefore, equalTo].contains { $0 != nil }
    if orderBy == nil, bounds || limitToFirst != nil || limitToLast != nil {
      throw ValidationError("Bounds and limits need --order-by.")
    }
    guard startAt == nil || startAfter == nil else {
      throw ValidationError("--start-at and --start-after cannot be combined.")
    }
    guard endAt == nil || endBefore == nil else {
      throw ValidationError("--end-at and --end-before cannot be combined.")
    }
    if equalTo != nil, [startAt, startAfter, endAt, endBefore].contains(where: { $0 != nil }) {
      throw ValidationError("--equal-to cannot be combined with another bound.")
    }
    guard limitToFirst == nil || limitToLast == nil else {
      throw ValidationError("--limit-to-first and --limit-to-last cannot be combined.")
    }
    for limit in [limitToFirst, limitToLast].compactMap({ $0 }) where limit < 1 {
      throw ValidationError("A limit must be at least 1.")
    }
  }

  /// The parameters for the REST interface.
  var parameters: DatabaseClient.Parameters {
    guard let orderBy else { return [] }
    var parameters: DatabaseClient.Parameters = [("orderBy", Self.quoted(orderBy))]
    for (name, bound) in [
      ("startAt", startAt), ("startAfter", startAfter), ("endAt", endAt), ("endBefore", endBefore),
      ("equalTo", equalTo),
    ] {
      if let bound { parameters.append((name, value(bound))) }
    }
    if let limitToFirst { parameters.append(("limitToFirst", String(limitToFirst))) }
    if let limitToLast { parameters.append(("limitToLast", String(limitToLast))) }
    return parameters
  }

  /// Returns a bound as JSON. Keys are always texts; any other argument is JSON if it is valid JSON, else a text.
  private func value(_ bound: String) -> String {
    switch JSON(parsing: bound.utf8) {
    case .string?: bound
    case .null?, .bool?, .int?, .double?: orderBy == "$key" ? Self.quoted(bound) : bound
    case .array?, .object?, nil: Self.quoted(bound)
    }
  }

  static func quoted(_ text: String) -> String { String(decoding: JSON.string(text).text(), as: UTF8.self) }
}
