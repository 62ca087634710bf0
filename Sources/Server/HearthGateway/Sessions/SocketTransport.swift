import HearthTransport
import HearthWire

/// A WebSocket as the transport of a session: it assembles segmented messages, drops keepalives, and sends segments to
/// a client that accepts no large frames.
final class SocketTransport: ClientTransport, SocketDelegate {
  private let session: any TransportDelegate
  /// True when this client must get neither large frames nor pings.
  private let needsSmallFrames: Bool
  private var assembler: SegmentAssembler
  private var hasDelivered = false
  private var socket: Socket?

  /// - Parameters:
  ///   - session: the delegate, which may send from its `open` on.
  ///   - userAgent: the client's own.
  ///   - messageBytesMax: bytes of a message, however many segments it comes in.
  init(_ session: any TransportDelegate, userAgent: String?, messageBytesMax: Int) {
    self.session = session
    needsSmallFrames = OutboundSegments.areNeeded(userAgent: userAgent)
    var limits = WireLimits.standard
    limits.messageBytesMax = messageBytesMax
    assembler = SegmentAssembler(limits: limits)
  }

  // MARK: Socket callbacks

  var mayBePinged: Bool { !needsSmallFrames }
  var undecodedBytes: Int { session.undecodedBytes }
  var unfinishedBytes: Int? { assembler.isIncomplete ? assembler.collectedBytes : nil }

  func opened(_ socket: Socket) {
    self.socket = socket
    session.open(over: self)
  }

  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) throws(SocketViolation) {
    do throws(WireError) {
      switch try assembler.receive(message) {
      case .keepalive, .incomplete: break
      case .whole: deliver(message)
      case .assembled(let whole): whole.withUnsafeBytes { deliver($0) }
      }
    } catch {
      throw SocketViolation(code: error.code == .tooLong ? 1009 : 1008, text: error.message)
    }
  }

  private func deliver(_ message: UnsafeRawBufferPointer) {
    hasDelivered = true
    session.received(message)
  }

  func finishedReading(_ socket: Socket) {
    guard hasDelivered else { return }
    hasDelivered = false
    session.finish()
  }

  func closed(_ socket: Socket, _ end: SocketEnd) {
    self.socket = nil
    session.ended(end)
  }

  // MARK: Session calls

  /// The maximum message length. A client that accepts no large frames accepts no more segments than four digits can
  /// count.
  var messageBytesMax: Int { needsSmallFrames ? WireLimits.standard.segmentedBytesMax : .max }

  var directOutlet: (outlet: Outlet, form: DeliveryForm)? {
    socket?.outlet.map { ($0, needsSmallFrames ? .segments : .frames) }
  }

  func send(_ message: OutboundMessage) {
    guard needsSmallFrames else {
      socket?.send(message)
      return
    }
    guard message.sizeBytes <= messageBytesMax else {
      return close(code: 1009, reason: "a message is too large for this client")
    }
    socket?.send(frames: message.segmentedFrames())
  }

  func send(_ message: ServerMessage) {
    guard let socket, socket.isOpen else { return }
    let loop = socket.loop
    loop.scratch.removeAll(keepingCapacity: loop.scratch.capacity <= 64 << 10)
    message.encode(into: &loop.scratch)
    send(OutboundMessage(text: loop.scratch))
  }

  func flush() { socket?.flush() }
  func whenWritten(_ done: @escaping @Sendable () -> Void) { socket?.whenWritten(done) }
  func setReading(_ isReading: Bool) { socket?.setReading(isReading) }
  func close(code: UInt16, reason: String) { socket?.close(code: code, reason: reason) }
}
