/// An assembler of the segments of one socket's messages.
///
/// A message is sent as one text, or as a count followed by as many texts. The count is a text of at most six digits;
/// the count `0` is the clients' keepalive and has no message.
///
/// The memory is bounded by ``WireLimits/messageBytesMax``, regardless of the count. While segments are missing,
/// ``isIncomplete`` is true; the owner of the socket decides how long to wait.
public struct SegmentAssembler: Sendable {
  /// The result of a frame.
  public enum Outcome: Sendable, Equatable {
    /// A keepalive.
    case keepalive
    /// A count or a segment; the message is not complete yet.
    case incomplete
    /// The text that was passed in is the whole message.
    case whole
    /// The message that the text completed.
    case assembled([UInt8])
  }

  private let limits: WireLimits
  private var missing = 0
  private var collected: [UInt8] = []

  /// Creates an assembler without segments.
  public init(limits: WireLimits = .standard) { self.limits = limits }

  /// True after a count until the last of its segments.
  public var isIncomplete: Bool { missing > 0 }

  /// The size in bytes of the segments that wait for the rest of their message.
  public var collectedBytes: Int { collected.count }

  /// Receives the next text message of the socket.
  public mutating func receive(_ text: UnsafeRawBufferPointer) throws(WireError) -> Outcome {
    guard missing > 0 else { return try begin(text) }
    guard text.count <= limits.messageBytesMax - collected.count else { throw tooLong() }
    collected.append(contentsOf: text)
    missing -= 1
    guard missing == 0 else { return .incomplete }
    let message = collected
    collected = []
    return .assembled(message)
  }

  /// Receives the next text message of the socket.
  public mutating func receive(_ text: [UInt8]) throws(WireError) -> Outcome {
    let result: Result<Outcome, WireError> = text.withUnsafeBytes { bytes in
      do throws(WireError) { return .success(try receive(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private mutating func begin(_ text: UnsafeRawBufferPointer) throws(WireError) -> Outcome {
    guard let count = Self.count(text) else {
      guard text.count <= limits.messageBytesMax else { throw tooLong() }
      return .whole
    }
    if count == 0 { return .keepalive }
    guard count <= limits.segmentsMax else {
      throw WireError(.tooManySegments, "a message has \(count) segments; the limit is \(limits.segmentsMax)")
    }
    missing = count
    return .incomplete
  }

  private func tooLong() -> WireError {
    WireError(.tooLong, "a message has more than \(limits.messageBytesMax) bytes")
  }

  /// Returns the number in a text of one to six digits; nil for any other text.
  private static func count(_ text: UnsafeRawBufferPointer) -> Int? {
    guard (1...6).contains(text.count) else { return nil }
    var count = 0
    for byte in text {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      count = count * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return count
  }
}
