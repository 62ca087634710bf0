import Synchronization

/// Something that is there later than what uses it.
final class Held<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// Nil before it is there.
  var current: Value? { value.withLock { $0 } }

  func set(_ value: Value) { self.value.withLock { $0 = value } }
}
