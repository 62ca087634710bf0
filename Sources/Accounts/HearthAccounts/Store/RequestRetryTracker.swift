import Synchronization

/// The record of whether a request has changed the accounts, for a caller that may forward it to another node of a
/// cluster.
///
/// A node that hands the accounts over refuses changes from that moment. A request that has made no change can then be
/// repeated on the new owner from its beginning. A one-time call, such as to a captcha service, counts as a change.
package final class RequestRetryTracker: Sendable {
  /// The tracker of the current task's request; nil when it is not tracked.
  @TaskLocal package static var current: RequestRetryTracker?

  private let hasChanged = Atomic(false)
  private let wasRefused = Atomic(false)

  /// Creates the tracker of a request that has made no change so far.
  package init() {}

  /// True when a change was refused by a node that no longer owns the accounts, and it is certain that nothing was
  /// changed.
  package var isSafeToRetry: Bool { wasRefused.load(ordering: .relaxed) && !hasChanged.load(ordering: .relaxed) }

  /// Notes a change, a possible change, or a one-time call.
  func noteChange() { hasChanged.store(true, ordering: .relaxed) }

  /// Notes that the accounts could not be changed here, while another node may.
  func noteRefusal() { wasRefused.store(true, ordering: .relaxed) }
}
