import HearthWire
import NIOCore

extension Socket: ClientTransport {
  /// A client that takes no large frames takes no more segments than four digits can count.
  var messageBytesMax: Int { isFragile ? WireLimits.standard.segmentedBytesMax : .max }

  func setReading(_ isReading: Bool) {
    try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}

extension SocketConnection: SocketDelegate {
  func opened(_ socket: Socket) { open(over: socket) }
  func received(_ message: UnsafeRawBufferPointer, on socket: Socket) { received(message) }
  func finishedReading(_ socket: Socket) { finish() }
  func closed(_ socket: Socket, _ end: SocketEnd) { ended(end) }
}
