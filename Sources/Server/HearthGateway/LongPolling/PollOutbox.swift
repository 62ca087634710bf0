import HearthTransport
import NIOCore

/// What waits to be told to a client that polls, and the scripts that tell it.
///
/// Answers are numbered from 0 without gaps: the client looks at none before it has all that come earlier.
struct PollOutbox {
  private let limits: PollLimits
  private var waiting = CircularBuffer<OutboundMessage>(initialCapacity: 1)
  private(set) var waitingBytes = 0
  private(set) var longestBytes = 0
  private var number = 0
  /// The last answers, in case a request comes again.
  private var answered: [(serial: String, script: ByteBuffer)] = []

  init(limits: PollLimits = .standard) { self.limits = limits }

  var isEmpty: Bool { waiting.isEmpty }

  mutating func append(_ message: OutboundMessage) {
    waiting.append(message)
    waitingBytes += message.sizeBytes
    longestBytes = max(longestBytes, message.sizeBytes)
  }

  /// The next answer: what waits, as far as it fits; or nothing.
  ///
  /// - Parameters:
  ///   - prelude: of a session's first answer.
  ///   - isLast: tells all that waits, and that nothing follows.
  ///   - serial: the request's, when the same answer is for the same request again.
  mutating func answer(prelude: String? = nil, isLast: Bool = false, to serial: String? = nil) -> ByteBuffer {
    var script = ByteBuffer()
    if let prelude { script.writeString(prelude) }
    // First, so that the client begins no other poll. Number 0 would be taken for no number.
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

  /// What large ones of the messages that wait count as.
  var texts: [SharedText] { waiting.compactMap(\.counted) }

  /// Bytes of the answers that are kept.
  var keptBytes: Int { answered.reduce(0) { $0 + $1.script.storageCapacity } }

  /// The answer that a request had already.
  func answer(again serial: String) -> ByteBuffer? { answered.first { $0.serial == serial }?.script }

  private mutating func keep(_ script: ByteBuffer, for serial: String) {
    // Two polls are under way at a time, so the last two answers may be lost.
    if answered.count == 2 { answered.removeFirst() }
    if script.readableBytes <= limits.repeatedBytesMax { answered.append((serial, script)) }
  }

  /// Tells a client that its session is over.
  static let close = "pLPCommand('close');\n"

  /// What makes a page of the scripts that follow: they run in a frame, and the client's callbacks are in the page around
  /// it under the client's number.
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
