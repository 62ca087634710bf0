/// The texts that carry one message to a client that takes no large frames: a count, then the segments.
///
/// Only the Java client for servers needs it; all others take a message of any length as one text. A cut never
/// parts a surrogate pair nor the bytes of a character.
public struct OutboundSegments: Sendable {
  /// The byte ranges of the segments, in order. One range: the message needs no count.
  public let ranges: [Range<Int>]

  /// The text to send before the segments; nil when the message goes as it is.
  public var count: [UInt8]? { ranges.count > 1 ? Array(String(ranges.count).utf8) : nil }

  /// - Parameters:
  ///   - message: JSON text in valid UTF-8.
  ///   - unitsMax: UTF-16 units of a segment, at least 2.
  public init(_ message: UnsafeRawBufferPointer, unitsMax: Int = WireLimits.standard.segmentUnitsMax) {
    // A UTF-16 unit takes at least one byte, so a short message needs no look inside.
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

  /// True for the clients whose frames must stay small, and that fail on a WebSocket ping.
  public static func areNeeded(userAgent: String?) -> Bool {
    guard let userAgent else { return false }
    return userAgent.utf8.suffix(9).elementsEqual("AdminJava".utf8)
  }
}
