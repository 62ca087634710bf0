import HearthRules
import HearthTree

extension TrialReport {
  /// The report as JSON; the guide describes its members.
  public var json: JSON {
    .object([
      .init("started", .int(startedMilliseconds)), .init("last", .int(lastMilliseconds)),
      .init("judged", .count(judgedCount)), .init("equal", .count(equalCount)),
      .init("sameRules", .count(sameRulesCount)), .init("undecided", .count(undecidedCount)),
      .init("dropped", .count(droppedCount)), .init("closed", .count(closedCount)),
      .init("opened", .count(openedCount)), .init("flips", .array(flips.map(\.json))),
      .init("unlisted", .count(unlistedFlipCount)), .init("forecast", forecast?.json ?? .null),
    ])
  }
}

extension TrialFlip {
  fileprivate var json: JSON {
    .object([
      .init("direction", .string(direction.rawValue)), .init("operation", .string(operation.rawValue)),
      .init("pattern", .string(pattern)), .init("stagedRule", .rule(stagedRule)), .init("rule", .rule(rule)),
      .init("count", .count(count)), .init("first", .int(firstMilliseconds)), .init("last", .int(lastMilliseconds)),
      .init("examples", .array(examples.map(\.json))),
    ])
  }
}

extension TrialExample {
  fileprivate var json: JSON {
    .object([
      .init("path", .string(path)), .init("uid", .text(uid)), .init("at", .int(milliseconds)),
      .init("trace", .array(trace.map { .string($0) })),
    ])
  }
}

extension TrialForecast {
  /// The forecast as JSON; the guide describes its members.
  public var json: JSON {
    .object([
      .init("state", .string(state.rawValue)), .init("started", .int(startedMilliseconds)),
      .init("milliseconds", .int(tookMilliseconds)), .init("listeners", listeners.json), .init("data", data.json),
    ])
  }
}

extension ListenerForecast {
  fileprivate var json: JSON {
    .object([
      .init("examined", .count(examinedCount)), .init("cancelled", .count(cancelledCount)),
      .init("undecided", .count(undecidedCount)), .init("patterns", .array(patterns.map(Self.json))),
      .init("unlisted", .count(unlistedCount)),
    ])
  }

  private static func json(_ pattern: Pattern) -> JSON {
    .object([
      .init("pattern", .string(pattern.pattern)), .init("stagedRule", .rule(pattern.stagedRule)),
      .init("count", .count(pattern.count)), .init("queries", .count(pattern.queryCount)),
      .init("uids", .array(pattern.uids.map { .text($0) })),
    ])
  }
}

extension DataForecast {
  fileprivate var json: JSON {
    .object([
      .init("checked", .count(checkedCount)), .init("failed", .count(failedCount)),
      .init("alreadyFailing", .count(alreadyFailingCount)), .init("dependsOnAuth", .count(dependsOnAuthCount)),
      .init("dependsOnTime", .count(dependsOnTimeCount)), .init("failures", .array(failures.map(Self.json))),
      .init("unlisted", .count(unlistedCount)), .init("progress", .double(progress)),
    ])
  }

  private static func json(_ failure: Failure) -> JSON {
    .object([
      .init("pattern", .string(failure.pattern)), .init("rule", .rule(failure.rule)),
      .init("count", .count(failure.count)), .init("alreadyFailing", .count(failure.alreadyFailingCount)),
      .init("paths", .array(failure.paths.map { .string($0) })),
    ])
  }
}

extension JSON {
  fileprivate static func count(_ count: Int) -> JSON { .int(Int64(count)) }

  fileprivate static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

  fileprivate static func rule(_ rule: RuleReference?) -> JSON {
    guard let rule else { return .null }
    return .object(
      [
        .init("path", .string(ShownText.of(rule.pathTemplate))), .init("kind", .string(rule.kind.rawValue)),
        .init("line", .int(Int64(rule.line))), .init("column", .int(Int64(rule.column))),
      ] + (rule.file.map { [.init("file", .string(ShownText.of($0)))] } ?? []))
  }
}
