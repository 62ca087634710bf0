/// A message split into several WebSocket text messages: a count, then the segments.
///
/// The server splits messages only for the Firebase Admin SDK for Java, which refuses large frames; `HearthClient`
/// splits its requests. A segment never ends within a Unicode scalar.
public struct OutboundSegments: Sendable {
  /// The byte ranges of the segments, in order. When there is one range, the message is sent without a count.
  public let ranges: [Range<Int>]

  /// The text to send before the segments; nil when the message is sent as one text.
  public var count: [UInt8]? { ranges.count > 1 ? Array(String(ranges.count).utf8) : nil }

  /// Splits a message.
  ///
  /// - Parameters:
  /// - message: JSON text in valid UTF-8.
  /// - unitsMax: The maximum number of UTF-16 code units of a segment, at least 2.
  public init(_ message: UnsafeRawBufferPointer, unitsMax: Int = WireLimits.standard.segmentUnitsMax) {
    // A UTF-16 unit takes at least one byte, so a short message need not be examined.
    guard message.count > unitsMax else {
      ranges = [0..<message.count]
      return
    }
    var ranges: [Range<Int>] = []
    var (start, units) = (0, 0)
    for (offset, byte) in message.enumerated() where byte & 0xC0 != 0x80 {
      let width = byte >= 0xF0 ? 2 : 1
      if units + width > unitsMax {
        ranges.append(start..<offset)
        (start, units) = (offset, 0)
      }
      units += width
    }
    ranges.append(start..<message.count)
    self.ranges = ranges
  }

  /// Returns true for the Firebase Admin SDK for Java, which accepts only small frames and fails on a WebSocket ping.
  public static func areNeeded(userAgent: String?) -> Bool {
    guard let userAgent else { return false }
    return userAgent.utf8.suffix(9).elementsEqual("AdminJava".utf8)
  }
}
