import Synchronization

/// A value that is set after its users exist.
final class LateBound<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// The value; nil before it is set.
  var current: Value? { value.withLock { $0 } }

  func set(_ value: Value) { self.value.withLock { $0 = value } }
}
