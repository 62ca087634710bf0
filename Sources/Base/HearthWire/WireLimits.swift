/// The bounds of one socket's messages.
public struct WireLimits: Sendable {
  /// Segments of one message. Clients write the count with at most four digits.
  public var segmentsMax = 9_999
  /// Bytes of one message. The service takes writes of 16 MB from clients; escapes may double their text.
  public var messageBytesMax = 32 << 20
  /// UTF-16 units of a segment that we send. The Java client for servers refuses frames above 64 KiB, and a unit
  /// is at most three bytes.
  public var segmentUnitsMax = 16_384
  /// Posts of a compound hash. Clients cut about as often as the root of the size of their data: some 3,000 times for a
  /// gigabyte.
  public var postsMax = 16_384

  /// Bytes of a message that certainly fits into ``segmentsMax`` segments.
  public var segmentedBytesMax: Int { segmentsMax * segmentUnitsMax }

  /// Makes the standard limits, to be narrowed.
  public init() {}

  /// The limits for all clients' messages.
  public static let standard = WireLimits()
}
