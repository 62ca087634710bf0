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
    help: ArgumentHelp("Start at this value. Quote a text that looks like a number: '\"5\"'.", valueName: "value"))
  var startAt: String?

  @Option(help: ArgumentHelp("Start after this value.", valueName: "value"))
  var startAfter: String?

  @Option(help: ArgumentHelp("End at this value.", valueName: "value"))
  var endAt: String?

  @Option(help: ArgumentHelp("End before this value.", valueName: "value"))
  var endBefore: String?

  @Option(help: ArgumentHelp("Only children with this value.", valueName: "value"))
  var equalTo: String?

  @Option(help: ArgumentHelp("The first children only, at most this many.", valueName: "count"))
  var limitToFirst: Int?

  @Option(help: ArgumentHelp("The last children only, at most this many.", valueName: "count"))
  var limitToLast: Int?

  func validate() throws {
    let bounds = [startAt, startAfter, endAt, endBefore, equalTo].contains { $0 != nil }
    if orderBy == nil, bounds || limitToFirst != nil || limitToLast != nil {
      throw ValidationError("Bounds and limits need --order-by: they count in that order.")
    }
    guard startAt == nil || startAfter == nil else { throw ValidationError("Two starts: keep one.") }
    guard endAt == nil || endBefore == nil else { throw ValidationError("Two ends: keep one.") }
    if equalTo != nil, [startAt, startAfter, endAt, endBefore].contains(where: { $0 != nil }) {
      throw ValidationError("--equal-to is a start and an end; keep it alone.")
    }
    guard limitToFirst == nil || limitToLast == nil else {
      throw ValidationError("--limit-to-first and --limit-to-last exclude each other.")
    }
    for limit in [limitToFirst, limitToLast].compactMap({ $0 }) where limit < 1 {
      throw ValidationError("A limit is at least 1.")
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
