import Foundation

/// Placeholders that the server fills in when a write reaches it.
///
/// Until then observers see an estimate: the local clock corrected by the server's, and the number as it is known here
/// plus the delta.
public final class ServerValue: Sendable {
  private init() {}

  /// The server's time, in milliseconds since 1970.
  public static func timestamp() -> [AnyHashable: Any] { [".sv": "timestamp"] }

  /// The number that is there plus `delta`; `delta` where there is no number.
  ///
  /// - Parameter delta: Two whole numbers give a whole number as long as it fits 64 bits.
  public static func increment(_ delta: NSNumber) -> [AnyHashable: Any] { [".sv": ["increment": delta]] }

  /// The same for a Swift integer.
  public static func increment<Delta: BinaryInteger & Sendable>(_ delta: Delta) -> [AnyHashable: Any] {
    [".sv": ["increment": Int64(exactly: delta).map { NSNumber(value: $0) } ?? NSNumber(value: Double(delta))]]
  }

  /// The same for a Swift floating-point number.
  public static func increment<Delta: BinaryFloatingPoint & Sendable>(_ delta: Delta) -> [AnyHashable: Any] {
    [".sv": ["increment": NSNumber(value: Double(delta))]]
  }
}
