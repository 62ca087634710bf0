import HearthTransport
import NIOCore

extension Socket: ClientTransport {
  var directLine: (outlet: Outlet, form: TellForm)? { outlet.map { ($0, isFragile ? .segments : .frames) } }
}

extension SocketConnection: SocketDelegate {
  func opened(_ socket: Socket) { open(over: socket) }
  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) { received(message) }
  func finishedReading(_ socket: Socket) { finish() }
  func closed(_ socket: Socket, _ end: SocketEnd) { ended(end) }
}
