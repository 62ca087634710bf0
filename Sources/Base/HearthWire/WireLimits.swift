/// The bounds of one socket's messages.
public struct WireLimits: Sendable {
  /// The number of segments of one message. Clients write the count with at most four digits.
  public var segmentsMax = 9_999
  /// The size of one message in bytes. The Firebase service accepts writes of 16 MB from clients; escapes may double
  /// their text.
  public var messageBytesMax = 32 << 20
  /// The number of UTF-16 code units of a segment that the server or `HearthClient` sends. The Firebase Admin SDK for
  /// Java refuses frames above 64 KiB, and a code unit takes at most three bytes.
  public var segmentUnitsMax = 16_384
  /// Posts of a compound hash. The number of posts that clients send is about proportional to the square root of the
  /// size of their data: some 3,000 for a gigabyte.
  public var postsMax = 16_384

  /// The size in bytes of a message that certainly fits into ``segmentsMax`` segments.
  public var segmentedBytesMax: Int { segmentsMax * segmentUnitsMax }

  /// Creates the standard limits.
  public init() {}

  /// The limits for all clients' messages.
  public static let standard = WireLimits()
}
