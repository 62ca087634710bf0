import HearthMigration
import HearthProgram
import HearthTree

/// The result of a migration, part by part.
struct MigrationReport {
  /// A part of a migration: the data, the users, and so on.
  struct Part {
    /// The name: `data`, `users`, `rules`, `passwords` or `requests`.
    var name: String
    var file: String
    /// The outcome in a few words.
    var outcome: String
    /// The figures of the outcome, for scripts.
    var figures: JSON = [:]
    var findings = MigrationFindings()
  }

  /// The maximum number of findings of a part that are printed; all of them are in the file of `--report`.
  private static let shownMax = 50

  private(set) var parts: [Part] = []
  /// True when something was changed, or was about to be.
  var isApplied = false
  /// The name of the current part.
  private var current: String?
  /// The part at which a failure ended the migration; nil when there was none.
  private(set) var stoppedAt: String?

  /// Begins a part; nil when all are done.
  mutating func begin(_ part: String?) { current = part }

  /// Notes that a failure ended the migration.
  mutating func stop() { stoppedAt = current }

  /// Adds a part, or replaces the one of that name.
  mutating func set(_ part: Part) {
    if let index = parts.firstIndex(where: { $0.name == part.name }) { parts[index] = part } else { parts.append(part) }
  }

  func part(_ name: String) -> Part? { parts.first { $0.name == name } }

  /// The number of findings on data that is refused or differs.
  var refusedCount: Int { parts.reduce(0) { $0 + $1.findings.count(.refused) } }

  var isGood: Bool { refusedCount == 0 && stoppedAt == nil }

  var text: String {
    var table = TextTable()
    for part in parts { table.add([part.name, part.file, part.outcome]) }
    var lines = [table.text]
    for part in parts where !part.findings.kept.isEmpty {
      lines.append("")
      lines += part.findings.kept.prefix(Self.shownMax).map(\.line)
      let more = part.findings.kept.count + part.findings.omittedCount - min(part.findings.kept.count, Self.shownMax)
      if more > 0 { lines.append("… and \(more) more about the \(part.name): see --report FILE") }
    }
    if !isApplied, refusedCount > 0 { lines += ["", "nothing was changed"] }
    if let stoppedAt {
      lines += ["", "stopped at the \(stoppedAt), which may be incomplete; later steps were not done"]
    }
    return lines.joined(separator: "\n")
  }

  var json: JSON {
    var json: JSON = ["good": .bool(isGood), "applied": .bool(isApplied)]
    if let stoppedAt { json["stoppedAt"] = .string(stoppedAt) }
    json["parts"] = .object(parts.map { JSON.Member($0.name, Self.json($0)) })
    return json
  }

  private static func json(_ part: Part) -> JSON {
    var json = (["file": .string(part.file), "outcome": .string(part.outcome)] as JSON).appending(part.figures)
    for kind in MigrationFinding.Kind.allCases {
      json[kind.rawValue] = .int(Int64(part.findings.count(kind)))
    }
    json["findings"] = .array(part.findings.kept.map(\.json))
    json["omitted"] = .int(Int64(part.findings.omittedCount))
    return json
  }
}
