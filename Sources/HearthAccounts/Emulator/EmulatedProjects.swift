import Synchronization

/// The projects that an emulator's clients name beside its own: each has users, sessions and codes of its own, from its
/// first use until the server stops. They are kept in memory alone, as test suites leave them behind under names that
/// they make up.
final class EmulatedProjects: Sendable {
  /// Projects at a time. Each holds a tree, three queues and keys; a suite that draws a name for every test has some
  /// hundreds.
  static let countMax = 1_000

  private let known = Mutex<[String: Accounts]>([:])

  func accounts(of id: String) -> Accounts? { known.withLock { $0[id] } }

  var all: [Accounts] { known.withLock { Array($0.values) } }

  /// Adds a project.
  ///
  /// - Returns: its accounts, which somebody else may have added meanwhile; nil when there are too many.
  func add(_ id: String, _ accounts: Accounts) -> Accounts? {
    known.withLock { known in
      if let present = known[id] { return present }
      guard known.count < Self.countMax else { return nil }
      known[id] = accounts
      return accounts
    }
  }

  /// Whether an id can be a project's. Google's have lower-case letters, digits and hyphens, older ones a domain before a
  /// colon; suites make up others.
  static func isID(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
  }
}
