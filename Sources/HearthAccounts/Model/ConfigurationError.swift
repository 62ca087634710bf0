/// A configuration that cannot be used, where, and what to do about it.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The setting, as `passwordPolicy.lengthMin`; or `line 3, column 7` of a text that is not JSON.
  public var place: String
  public var message: String

  public init(_ place: String, _ message: String) {
    self.place = place
    self.message = message
  }

  public var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
