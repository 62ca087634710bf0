import HearthRules
import HearthTree

extension TrialReport {
  /// The report as JSON; the guide describes its members.
  public var json: JSON {
    [
      "started": .int(startedMilliseconds), "last": .int(lastMilliseconds), "judged": .count(judgedCount),
      "equal": .count(equalCount), "sameRules": .count(sameRulesCount), "undecided": .count(undecidedCount),
      "dropped": .count(droppedCount), "closed": .count(closedCount), "opened": .count(openedCount),
      "flips": .array(flips.map(\.json)), "unlisted": .count(unlistedReversalCount),
      "forecast": forecast?.json ?? .null,
    ]
  }
}

extension ReversalGroup {
  fileprivate var json: JSON {
    [
      "direction": .string(direction.rawValue), "operation": .string(operation.rawValue), "pattern": .string(pattern),
      "stagedRule": .rule(stagedRule), "rule": .rule(rule), "count": .count(count), "first": .int(firstMilliseconds),
      "last": .int(lastMilliseconds), "examples": .array(examples.map(\.json)),
    ]
  }
}

extension TrialExample {
  fileprivate var json: JSON {
    ["path": .string(path), "uid": .text(uid), "at": .int(milliseconds), "trace": .array(trace.map { .string($0) })]
  }
}

extension TrialForecast {
  /// The forecast as JSON; the guide describes its members.
  public var json: JSON {
    [
      "state": .string(state.rawValue), "started": .int(startedMilliseconds), "milliseconds": .int(tookMilliseconds),
      "listeners": listeners.json, "data": data.json,
    ]
  }
}

extension ListenerForecast {
  fileprivate var json: JSON {
    [
      "examined": .count(examinedCount), "cancelled": .count(cancelledCount), "undecided": .count(undecidedCount),
      "patterns": .array(patterns.map(Self.json)), "unlisted": .count(unlistedCount),
    ]
  }

  private static func json(_ pattern: Pattern) -> JSON {
    [
      "pattern": .string(pattern.pattern), "stagedRule": .rule(pattern.stagedRule), "count": .count(pattern.count),
      "queries": .count(pattern.queryCount), "uids": .array(pattern.uids.map { .text($0) }),
    ]
  }
}

extension DataForecast {
  fileprivate var json: JSON {
    [
      "checked": .count(checkedCount), "failed": .count(failedCount), "alreadyFailing": .count(alreadyFailingCount),
      "dependsOnAuth": .count(dependsOnAuthCount), "dependsOnTime": .count(dependsOnTimeCount),
      "failures": .array(failures.map(Self.json)), "unlisted": .count(unlistedCount), "progress": .double(progress),
    ]
  }

  private static func json(_ failure: Failure) -> JSON {
    [
      "pattern": .string(failure.pattern), "rule": .rule(failure.rule), "count": .count(failure.count),
      "alreadyFailing": .count(failure.alreadyFailingCount), "paths": .array(failure.paths.map { .string($0) }),
    ]
  }
}

extension JSON {
  fileprivate static func count(_ count: Int) -> JSON { .int(Int64(count)) }

  fileprivate static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

  fileprivate static func rule(_ rule: RuleReference?) -> JSON {
    guard let rule else { return .null }
    return .object(
      [
        .init("path", .string(ReportText.of(rule.pathTemplate))), .init("kind", .string(rule.kind.rawValue)),
        .init("line", .int(Int64(rule.line))), .init("column", .int(Int64(rule.column))),
      ] + (rule.file.map { [.init("file", .string(ReportText.of($0)))] } ?? []))
  }
}
