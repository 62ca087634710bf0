import Synchronization

/// What a request has changed of the accounts so far, for whoever may hand it to another node of a cluster.
///
/// A node that gives the accounts to another one refuses changes from that moment. A request that has changed nothing before
/// can be carried out there from its beginning. What can be asked once only, as of a captcha service, counts as a change.
package final class TransactionWatch: Sendable {
  /// That of the request that a task works for.
  @TaskLocal package static var current: TransactionWatch?

  private let hasChanged = Atomic(false)
  private let wasRefused = Atomic(false)

  /// That of a request that has changed nothing so far.
  package init() {}

  /// True when a change was refused by a node that no longer makes it, and nothing was changed, for certain.
  package var mayBeginAnew: Bool { wasRefused.load(ordering: .relaxed) && !hasChanged.load(ordering: .relaxed) }

  /// Something is changed, or may be; or something was asked that can be asked once only.
  func noteChange() { hasChanged.store(true, ordering: .relaxed) }

  /// The accounts could not be changed here, which another node may do now.
  func noteRefusal() { wasRefused.store(true, ordering: .relaxed) }
}
