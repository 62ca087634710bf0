import HearthTransport
import HearthWire

/// The client's messages. A large one is decoded away from the event loop, and the messages behind it wait.
extension SocketConnection {
  /// Takes a complete message. ``finish()`` follows once all received messages are passed on.
  ///
  /// - Parameter message: valid during the call only.
  func received(_ message: UnsafeRawBufferPointer) {
    if undecoded != nil {
      undecoded?.append(Array(message))
    } else if message.count > LargeValuePool.loopBytesMax {
      decodeOnPool(Array(message))
    } else {
      take(Self.decoded(message), sizeBytes: message.count)
    }
  }

  /// The bytes of messages that are not decoded yet.
  var undecodedBytes: Int { undecoded?.reduce(decodingBytes) { $0 + $1.count } ?? 0 }

  /// Reads no more from the client until the message is decoded.
  private func decodeOnPool(_ message: [UInt8]) {
    (undecoded, decodingBytes) = ([], message.count)
    setReading(false)
    services.pool.run(on: hub.loop, for: poolClient) {
      message.withUnsafeBytes { Self.decoded($0) }
    } completion: { decoded in
      self.takeDecoded(decoded, sizeBytes: message.count)
    }
  }

  /// Takes a message that was decoded away from the loop, and the messages behind it.
  ///
  /// - Parameter message: nil when too much work waits, and when the server stops.
  private func takeDecoded(_ message: Result<ClientMessage, WireError>?, sizeBytes: Int) {
    let waiting = undecoded ?? []
    undecoded = nil
    guard let transport else { return }
    guard let message else {
      session.close()
      return transport.close(code: 1013, reason: "the server has too much to do")
    }
    take(message, sizeBytes: sizeBytes)
    // Another of the waiting messages may be large as well: then the rest waits behind it.
    for bytes in waiting { bytes.withUnsafeBytes { received($0) } }
    finish()
    if undecoded == nil { setReading(true) }
  }

  private func take(_ message: Result<ClientMessage, WireError>, sizeBytes: Int) {
    switch message {
    case .success(let message): received(message, sizeBytes: sizeBytes)
    case .failure(let problem): violation(problem.description)
    }
  }

  /// The message, or the refusal of one that cannot be decoded but is known to be a request.
  private static func decoded(_ message: UnsafeRawBufferPointer) -> Result<ClientMessage, WireError> {
    do { return .success(try ClientMessage.decode(message)) } catch {
      return ClientMessage.refusal(ofMisencoded: message).map { .success($0) } ?? .failure(error)
    }
  }
}
