import HearthTree

/// A finding on data that is not migrated unchanged, with its place.
package struct MigrationFinding: Sendable, Equatable {
  /// The treatment of the data.
  package enum Kind: String, Sendable, CaseIterable {
    /// The data cannot be stored.
    case refused
    /// The data is stored in a different form.
    case different
    /// The data is stored unchanged, but deserves attention.
    case note
  }

  /// The treatment of the data.
  package var kind: Kind
  /// The file, with line and column where they are known: `export.json:8:12`.
  package var place: String
  /// The data concerned: `/rooms/a`, `account 12 (uid)`.
  package var subject: String
  /// The reason, in a sentence without its full stop.
  package var text: String

  /// Creates a finding.
  package init(_ kind: Kind, place: String, subject: String, _ text: String) {
    self.kind = kind
    self.place = place
    self.subject = subject
    self.text = text
  }

  /// The line `export.json:8:12: /rooms/a: refused: …`, without control characters.
  package var line: String { [place, subject, kind.rawValue, text].map(\.printable).joined(separator: ": ") }

  /// The finding for scripts.
  package var json: JSON {
    ["kind": .string(kind.rawValue), "place": .string(place), "subject": .string(subject), "text": .string(text)]
  }
}

/// The findings of one file: all are counted, and the first of each kind are kept.
package struct MigrationFindings: Sendable {
  /// The maximum number of findings of a kind that are kept. A completely wrong file would otherwise fill the memory.
  package static let keptMax = 1_000

  /// The kept findings, in order.
  package private(set) var kept: [MigrationFinding] = []
  private var counts: [MigrationFinding.Kind: Int] = [:]

  /// Creates a list without findings.
  package init() {}

  /// Returns the number of findings of a kind.
  package func count(_ kind: MigrationFinding.Kind) -> Int { counts[kind] ?? 0 }

  /// The number of findings that are not kept.
  package var omittedCount: Int { counts.values.reduce(0, +) - kept.count }

  /// Adds a finding.
  package mutating func add(_ finding: MigrationFinding) {
    let count = count(finding.kind) + 1
    counts[finding.kind] = count
    if count <= Self.keptMax { kept.append(finding) }
  }
}
