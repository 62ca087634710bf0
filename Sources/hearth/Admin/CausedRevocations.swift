import HearthTree
import Synchronization

/// The numbers of the revocations that a command's requests caused.
final class CausedRevocations: Sendable {
  /// The parameter that asks for them, and the member of the answer that has them.
  static let parameter = "revocations"

  private let numbers = Mutex<[Int64]>([])

  var all: [Int64] { numbers.withLock { $0 } }

  func note(_ answer: JSON) {
    let found = answer[Self.parameter]?.array?.compactMap(\.int) ?? []
    numbers.withLock { $0 += found }
  }
}
