import HearthTransport
import NIOCore

/// The queue of messages to a polling client, and the scripts that deliver them.
///
/// Responses are numbered from 0 without gaps: the client handles them in order.
struct PollOutbox {
  private let limits: PollLimits
  private var waiting = CircularBuffer<OutboundMessage>(initialCapacity: 1)
  private(set) var waitingBytes = 0
  private(set) var longestBytes = 0
  private var number = 0
  /// The last responses, in case a request is repeated.
  private var answered: [(serial: String, script: ByteBuffer)] = []

  init(limits: PollLimits = .standard) { self.limits = limits }

  var isEmpty: Bool { waiting.isEmpty }

  mutating func append(_ message: OutboundMessage) {
    waiting.append(message)
    waitingBytes += message.sizeBytes
    longestBytes = max(longestBytes, message.sizeBytes)
  }

  /// Returns the next response: the queued messages, as far as they fit; or none.
  ///
  /// - Parameters:
  ///   - prelude: the beginning of a session's first response.
  ///   - isLast: true delivers all queued messages, and reports the end.
  ///   - serial: the request's, when a repeated request gets the same response.
  mutating func answer(prelude: String? = nil, isLast: Bool = false, to serial: String? = nil) -> ByteBuffer {
    var script = ByteBuffer()
    if let prelude { script.writeString(prelude) }
    // This is sent first, so that the client begins no other poll. The client would treat the number 0 as no number.
    if isLast, number > 0 { script.writeString("pLPCommand('close',\(number));\n") }
    script.writeString("pRTLPCB(\(number),[")
    var (count, bytes) = (0, 0)
    while let message = waiting.first {
      guard count == 0 || isLast || bytes + message.sizeBytes <= limits.answerBytesMax else { break }
      waiting.removeFirst()
      if count > 0 { script.writeString(",") }
      message.text.withUnsafeReadableBytes { JavaScriptText.append($0, to: &script) }
      count += 1
      bytes += message.sizeBytes
    }
    script.writeString("]);\n")
    if isLast, number == 0 { script.writeString(Self.close) }
    waitingBytes -= bytes
    if waiting.isEmpty { longestBytes = 0 }
    number += 1
    if let serial { keep(script, for: serial) }
    return script
  }

  /// The memory counters of the large queued messages.
  var texts: [SharedText] { waiting.compactMap(\.counted) }

  /// The bytes of the kept responses.
  var keptBytes: Int { answered.reduce(0) { $0 + $1.script.storageCapacity } }

  /// Returns the response that a request had already.
  func repeatedAnswer(to serial: String) -> ByteBuffer? { answered.first { $0.serial == serial }?.script }

  private mutating func keep(_ script: ByteBuffer, for serial: String) {
    // Two polls are under way at a time, so the last two answers may be lost.
    if answered.count == 2 { answered.removeFirst() }
    if script.readableBytes <= limits.repeatedBytesMax { answered.append((serial, script)) }
  }

  /// The script that tells a client that its session has ended.
  static let close = "pLPCommand('close');\n"

  /// Returns the script that prepares a page for those that follow: they run in a frame, and the client's callbacks are
  /// in the surrounding page under the client's number.
  ///
  /// - Parameter callback: digits.
  static func prelude(callback: String, _ session: PollSession) -> String {
    """
    function pLPCommand(c,a1,a2,a3,a4){
    parent.window["pLPCommand\(callback)"]&&parent.window["pLPCommand\(callback)"](c,a1,a2,a3,a4);
    }
    function pRTLPCB(pN,data){
    parent.window["pRTLPCB\(callback)"]&&parent.window["pRTLPCB\(callback)"](pN,data);
    }
    pLPCommand('start','\(session.id)','\(session.password)');

    """
  }
}
