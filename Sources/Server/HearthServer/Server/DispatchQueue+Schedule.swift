import Dispatch

extension DispatchQueue {
  /// Schedules work on any thread; immediately for a time in the past.
  static func schedule(_ milliseconds: Int64, _ work: @escaping @Sendable () -> Void) {
    global().asyncAfter(deadline: .now() + .milliseconds(Int(clamping: max(0, milliseconds))), execute: work)
  }
}
