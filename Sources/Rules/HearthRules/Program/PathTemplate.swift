import HearthTree

/// The argument of `child()`, or a text that is joined from pieces.
///
/// `child('members/' + $room + '/' + auth.uid)` becomes four pieces whose bytes are put in one buffer, with no text in
/// between.
struct PathTemplate: Sendable {
  enum Piece: Sendable {
    case bytes([UInt8])
    case operation(Int32)
  }

  let pieces: [Piece]
  /// The keys; nil when a piece is an operation.
  let keys: [Key]?

  /// A template of pieces known only when the rule runs.
  init(pieces: [Piece]) {
    self.pieces = pieces
    keys = nil
  }

  init(path: String) {
    pieces = [.bytes(Array(path.utf8))]
    let keys = Path(path).keys
    self.keys = keys.isEmpty ? [Self.noKey] : keys
  }

  /// The key for a path without any key, which no node has. `child('')` must not be the node itself, or
  /// `root.child(newData.val()).exists()` would hold for an empty text.
  static let noKey = Key("")
}

/// A snapshot: its start, and the steps from there.
struct SnapshotChain: Sendable {
  enum Step: Sendable {
    case child(template: Int32)
    /// A step to `parent()`, with the operation that fails when there is none.
    case parent
  }

  let base: SnapshotBase
  let steps: [Step]
  /// The number of `parent()` steps at the beginning.
  let parentCount: Int
  /// The children after them; nil when there is a `parent()` among those, or right after `root`.
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
