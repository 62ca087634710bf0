import NIOCore
import NIOHTTP1

/// A handler that percent-encodes the bytes beyond ASCII in a request's first line, before the decoder, which refuses them.
///
/// Libraries of micro-controllers send paths and bounds as raw UTF-8, as Firebase accepts them. The code that decodes the target
/// decides whether the bytes are UTF-8. The handler behind the decoder reports where a request ends, so headers and bodies are not
/// changed. A line that arrives in one read with the previous request is passed on as it is, and refused: finding it here would
/// take a second parser of lengths and chunks, and where two parsers differ requests can be smuggled.
final class RequestLineEncoder: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private enum State {
    /// The state before the first line of a request.
    case start
    case line
    /// The state behind the first line, or where HTTP has ended.
    case behind
  }

  private var state = State.start

  /// Records that the decoder has read a request to its end.
  func requestEnded() { state = .start }

  /// Stops encoding: the following bytes are not HTTP.
  func stop(with context: ChannelHandlerContext) {
    state = .behind
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard state != .behind else { return context.fireChannelRead(data) }
    let bytes = unwrapInboundIn(data)
    let line = takeLine(of: bytes.readableBytesView)
    guard line.contains(where: { $0 >= 0x80 }) else { return context.fireChannelRead(data) }
    var encoded = context.channel.allocator.buffer(capacity: bytes.readableBytes + 2 * line.count)
    for byte in line {
      if byte < 0x80 { encoded.writeInteger(byte) } else { encoded.writeString("%" + String(byte, radix: 16)) }
    }
    encoded.writeBytes(bytes.readableBytesView[line.endIndex...])
    context.fireChannelRead(wrapInboundOut(encoded))
  }

  /// Returns the bytes that belong to the first line. Empty lines before it are ignored (RFC 9112, section 2.2).
  private func takeLine(of bytes: ByteBufferView) -> ByteBufferView {
    for (index, byte) in zip(bytes.indices, bytes) {
      switch byte {
      case UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n") where state == .line:
        state = .behind
        return bytes[...index]
      case UInt8(ascii: "\n"): break
      default: state = .line
      }
    }
    return bytes
  }
}
