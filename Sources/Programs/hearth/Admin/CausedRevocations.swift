import HearthTree
import Synchronization

/// The numbers of the revocations that a command's requests caused.
final class CausedRevocations: Sendable {
  /// The query parameter that requests the numbers, and the member of the answer that contains them.
  static let parameter = "revocations"

  /// The member with the node of a cluster that keeps their receipts.
  private static let nodeMember = "revocationsNode"

  struct Revocation: Sendable {
    var number: Int64
    /// The node of a cluster that keeps its receipts; nil for a single server.
    var node: String?
  }

  private let revocations = Mutex<[Revocation]>([])

  var all: [Revocation] { revocations.withLock { $0 } }

  func note(_ answer: JSON) {
    let node = answer[Self.nodeMember]?.string
    let found = (answer[Self.parameter]?.array?.compactMap(\.int) ?? []).map { Revocation(number: $0, node: node) }
    revocations.withLock { $0 += found }
  }
}
