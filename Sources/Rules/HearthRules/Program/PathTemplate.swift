import HearthTree

/// The argument of `child()`, or a text that is joined from pieces.
///
/// `child('members/' + $room + '/' + auth.uid)` becomes four pieces whose bytes are written to one buffer, without
/// intermediate texts.
struct PathTemplate: Sendable {
  enum Piece: Sendable {
    case bytes([UInt8])
    case operation(Int32)
  }

  let pieces: [Piece]
  /// The keys; nil when a piece is an operation.
  let keys: [Key]?

  /// Creates a template with pieces that are only known when the rule runs.
  init(pieces: [Piece]) {
    self.pieces = pieces
    keys = nil
  }

  init(path: String) {
    pieces = [.bytes(Array(path.utf8))]
    let keys = Path(path).keys
    self.keys = keys.isEmpty ? [Self.noKey] : keys
  }

  /// The key that replaces a path without keys; no node has it. `child('')` must not be the node itself, otherwise
  /// `root.child(newData.val()).exists()` would hold for an empty text.
  static let noKey = Key("")
}

/// A snapshot expression: its start, and the following steps.
struct SnapshotChain: Sendable {
  enum Step: Sendable {
    case child(template: Int32)
    /// A `parent()` step.
    case parent
  }

  let base: SnapshotBase
  let steps: [Step]
  /// The number of `parent()` steps at the beginning.
  let parentCount: Int
  /// The `child()` steps after them; nil when there is a later `parent()` step, or one directly after `root`.
  let templates: [Int32]?

  init(_ base: SnapshotBase, _ steps: [Step] = []) {
    self.base = base
    self.steps = steps
    parentCount = steps.prefix { if case .parent = $0 { true } else { false } }.count
    let rest = steps.dropFirst(parentCount)
    let templates = rest.compactMap { step -> Int32? in if case .child(let template) = step { template } else { nil } }
    self.templates = templates.count < rest.count || base == .root && parentCount > 0 ? nil : templates
  }

  func appending(_ step: Step) -> SnapshotChain { SnapshotChain(base, steps + [step]) }
}
