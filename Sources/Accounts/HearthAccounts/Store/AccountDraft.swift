import HearthEngine
import HearthTree

/// The accounts of a project or tenant inside a transaction of their database: paths are relative to the accounts'
/// root.
struct AccountDraft: Sendable {
  /// The database's tree, with the changes so far.
  private(set) var whole: TransactionDraft
  private let base: Path

  init(_ whole: TransactionDraft, at base: Path) { (self.whole, self.base) = (whole, base) }

  /// The newest records, with the changes so far.
  var root: Node { base.isRoot ? whole.root : whole.root[base] }
  /// The time of the transaction.
  var now: Instant { whole.now }
  /// True when nothing was replaced.
  var isEmpty: Bool { whole.isEmpty }

  /// Replaces the node at a path; an empty node deletes.
  mutating func replace(_ path: Path, with node: Node) { whole.replace(base.appending(path), with: node) }
}
