import HearthTree

/// Something that is not taken over as it is, and where it stands.
package struct MigrationFinding: Sendable, Equatable {
  /// What becomes of it.
  package enum Kind: String, Sendable, CaseIterable {
    /// It cannot be stored.
    case refused
    /// It is taken, and is then something else than it was.
    case different
    /// It is taken as it is; somebody should know of it all the same.
    case note
  }

  /// What becomes of it.
  package var kind: Kind
  /// The file, with line and column where they are known: `export.json:8:12`.
  package var place: String
  /// What it is: `/rooms/a`, `account 12 (uid)`.
  package var subject: String
  /// Why, in a sentence without its full stop.
  package var text: String

  /// A finding.
  package init(_ kind: Kind, place: String, subject: String, _ text: String) {
    self.kind = kind
    self.place = place
    self.subject = subject
    self.text = text
  }

  /// `export.json:8:12: /rooms/a: refused: …`. Nothing of it speaks to a terminal.
  package var line: String { [place, subject, kind.rawValue, text].map(\.printable).joined(separator: ": ") }

  /// For programs.
  package var json: JSON {
    ["kind": .string(kind.rawValue), "place": .string(place), "subject": .string(subject), "text": .string(text)]
  }
}

/// Findings of one file: all are counted, and the first of each kind are kept.
package struct MigrationFindings: Sendable {
  /// Findings of a kind that are kept to be told. A file in which everything is wrong would fill the memory.
  package static let keptMax = 1_000

  /// Those that are kept, in the order in which they were found.
  package private(set) var kept: [MigrationFinding] = []
  private var counts: [MigrationFinding.Kind: Int] = [:]

  /// None yet.
  package init() {}

  /// How many there are of a kind.
  package func count(_ kind: MigrationFinding.Kind) -> Int { counts[kind] ?? 0 }

  /// How many there are that are not kept.
  package var omittedCount: Int { counts.values.reduce(0, +) - kept.count }

  /// Takes a finding.
  package mutating func add(_ finding: MigrationFinding) {
    let count = count(finding.kind) + 1
    counts[finding.kind] = count
    if count <= Self.keptMax { kept.append(finding) }
  }
}
