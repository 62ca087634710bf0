import Foundation

/// Placeholders that the server fills in when it receives a write.
///
/// Until then observers see an estimate: the local time corrected by the offset of the server's clock, and the known
/// number plus the delta.
public final class ServerValue: Sendable {
  private init() {}

  /// Returns the placeholder of the server's time, in milliseconds since 1970.
  public static func timestamp() -> [AnyHashable: Any] { [".sv": "timestamp"] }

  /// Returns the placeholder of the current number plus `delta`, or of `delta` when there is no number.
  ///
  /// - Parameter delta: The delta. Two whole numbers give a whole number if it fits 64 bits.
  public static func increment(_ delta: NSNumber) -> [AnyHashable: Any] { [".sv": ["increment": delta]] }

  /// Returns the placeholder of an increment by a Swift integer.
  public static func increment<Delta: BinaryInteger & Sendable>(_ delta: Delta) -> [AnyHashable: Any] {
    [".sv": ["increment": Int64(exactly: delta).map { NSNumber(value: $0) } ?? NSNumber(value: Double(delta))]]
  }

  /// Returns the placeholder of an increment by a Swift floating-point number.
  public static func increment<Delta: BinaryFloatingPoint & Sendable>(_ delta: Delta) -> [AnyHashable: Any] {
    [".sv": ["increment": NSNumber(value: Double(delta))]]
  }
}
