@testable import HearthTransport

/// A delegate that records its calls, and answers on command.
final class RecordingDelegate: SocketDelegate {
  var events: [String] = []
  var messages: [String] = []
  var socket: Socket?
  var end: SocketEnd?
  var onOpen: ((Socket) -> Void)?
  var onMessage: ((String, Socket) -> Void)?
  /// The memory that it reports as held.
  var unfinishedBytes: Int?
  var mayBePinged = true
  /// The violation that it reports for every message.
  var violation: SocketViolation?

  func opened(_ socket: Socket) {
    events.append("opened")
    self.socket = socket
    onOpen?(socket)
  }

  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) throws(SocketViolation) {
    let text = String(decoding: message, as: UTF8.self)
    messages.append(text)
    events.append("received \(text.count > 40 ? "\(text.utf8.count) bytes" : text)")
    onMessage?(text, socket)
    if let violation { throw violation }
  }

  func finishedReading(_ socket: Socket) { events.append("finished") }

  func closed(_ socket: Socket, _ end: SocketEnd) {
    events.append("closed")
    self.end = end
    self.socket = nil
  }
}
