import HearthTransport
import NIOCore

extension Socket: ClientTransport {}

extension SocketConnection: SocketDelegate {
  func opened(_ socket: Socket) { open(over: socket) }
  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) { received(message) }
  func finishedReading(_ socket: Socket) { finish() }
  func closed(_ socket: Socket, _ end: SocketEnd) { ended(end) }
}
