import Foundation

/// A date that the server fills in when it is nil, stored as milliseconds since 1970.
///
/// ```swift
/// struct Message: Codable {
///   var text: String
///   @ServerTimestamp var sent: Date?
/// }
/// ```
@propertyWrapper
public struct ServerTimestamp: Codable, Equatable, Hashable, Sendable {
  /// The date; nil lets the server fill it in.
  public var wrappedValue: Date?

  /// Creates a property with a date.
  public init(wrappedValue: Date?) { self.wrappedValue = wrappedValue }

  /// Reads milliseconds since 1970.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue =
      container.decodeNil() ? nil : Date(timeIntervalSince1970: try container.decode(Double.self) / 1000)
  }

  /// Writes milliseconds since 1970, or the placeholder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    guard let wrappedValue else { return try container.encode([".sv": "timestamp"]) }
    let milliseconds = wrappedValue.timeIntervalSince1970 * 1000
    guard let whole = Int64(exactly: milliseconds.rounded()) else { return try container.encode(milliseconds) }
    try container.encode(whole)
  }
}
