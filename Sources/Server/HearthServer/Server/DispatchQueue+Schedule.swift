import Dispatch

extension DispatchQueue {
  /// Has something done later, on whatever thread there is; at once for a time that is over.
  static func schedule(_ milliseconds: Int64, _ work: @escaping @Sendable () -> Void) {
    global().asyncAfter(deadline: .now() + .milliseconds(Int(clamping: max(0, milliseconds))), execute: work)
  }
}
