import NIOCore
import NIOHTTP1

extension HTTPResponse {
  /// The way in which the client finds the end of a body.
  enum BodyFraming {
    case length
    /// Each part states its length (RFC 9112, section 7.1).
    case chunks
    /// The connection ends with the body: for clients of HTTP/1.0, and for event streams.
    case connection
  }

  /// Returns the bytes of the response, in one buffer when the body is short.
  ///
  /// - Parameters:
  ///   - id: the request's id.
  ///   - keepsAlive: the value of the `Connection` header.
  ///   - omitsBody: for the response to a HEAD request, which has the length and not the body.
  ///   - framing: the way in which the body ends.
  func buffers(
    date: String, id: String, keepsAlive: Bool, omitsBody: Bool, framing: BodyFraming = .length
  ) -> (head: ByteBuffer, body: ByteBuffer?) {
    let copiesBody = !omitsBody && body.readableBytes <= 8 << 10
    var head = ByteBufferAllocator().buffer(capacity: 512 + (copiesBody ? body.readableBytes : 0))
    head.writeString("HTTP/1.1 ")
    head.writeString(String(status.code))
    head.writeString(" ")
    head.writeString(status.reasonPhrase)
    head.writeString("\r\nDate: ")
    head.writeString(date)
    head.writeString("\r\n\(RequestIDs.header): ")
    Self.write(value: id, to: &head)
    for (name, value) in headers {
      head.writeString("\r\n")
      head.writeString(name)
      head.writeString(": ")
      Self.write(value: value, to: &head)
    }
    if status != .switchingProtocols {
      switch framing {
      case .length where mayHaveBody:
        head.writeString("\r\nContent-Length: ")
        head.writeString(String(body.readableBytes))
      case .chunks: head.writeString("\r\nTransfer-Encoding: chunked")
      case .length, .connection: break
      }
      head.writeString(keepsAlive ? "\r\nConnection: keep-alive" : "\r\nConnection: close")
    }
    head.writeString("\r\n\r\n")
    guard mayHaveBody, !omitsBody, body.readableBytes > 0 else { return (head, nil) }
    guard copiesBody else { return (head, body) }
    head.writeImmutableBuffer(body)
    return (head, nil)
  }

  /// True when the response may have a body: 1xx, 204 and 304 end at their head.
  private var mayHaveBody: Bool { status.code >= 200 && status != .noContent && status != .notModified }

  /// Writes a header value with spaces for control characters, which would end the header and begin another.
  private static func write(value: String, to buffer: inout ByteBuffer) {
    if value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
      buffer.writeString(value)
    } else {
      buffer.writeBytes(value.utf8.map { $0 >= 0x20 && $0 != 0x7F ? $0 : 0x20 })
    }
  }
}
