import Synchronization

/// The record of whether a request has changed the accounts, for a caller that may forward it to another node of a
/// cluster.
///
/// A node that hands the accounts over refuses changes from that moment. A request without a change so far can be
/// repeated there from its beginning. A question that can be asked only once, as of a captcha service, counts as a
/// change.
package final class RequestRetryTracker: Sendable {
  /// The watch of the current task's request.
  @TaskLocal package static var current: RequestRetryTracker?

  private let hasChanged = Atomic(false)
  private let wasRefused = Atomic(false)

  /// Creates the watch of a request without a change so far.
  package init() {}

  /// True when a change was refused by a node that no longer owns the accounts, and it is certain that nothing was
  /// changed.
  package var isSafeToRetry: Bool { wasRefused.load(ordering: .relaxed) && !hasChanged.load(ordering: .relaxed) }

  /// Notes a change, a possible change, or a question that can be asked only once.
  func noteChange() { hasChanged.store(true, ordering: .relaxed) }

  /// Notes that the accounts could not be changed here, while another node may.
  func noteRefusal() { wasRefused.store(true, ordering: .relaxed) }
}
