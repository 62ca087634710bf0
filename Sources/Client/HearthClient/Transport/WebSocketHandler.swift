import NIOCore
import NIOWebSocket

/// The channel handler that converts between frames and messages, within limits. Confined to the event loop of its
/// channel.
// Unchecked because all calls are made on that loop: NIO's own, and those of ``WebSocket``.
final class WebSocketHandler: ChannelDuplexHandler, @unchecked Sendable {
  typealias InboundIn = WebSocketFrame
  typealias OutboundIn = Never
  typealias OutboundOut = WebSocketFrame

  private let limits: WebSocketLimits
  private var listener: (@Sendable (WebSocketEvent) -> Void)?
  private var channel: (any Channel)?
  private var context: ChannelHandlerContext?
  private var isOver = false

  /// The frames of an incomplete message; nil between two messages.
  private var partial: Partial?
  /// The complete messages since the last delivery.
  private var messages: [[UInt8]] = []
  private var unread = 0
  private var isReadPaused = false

  private struct Partial {
    var bytes: [UInt8]
    var fragments: Int
    /// True for a text message; binary messages have no meaning in the protocol and are skipped.
    var isText: Bool
  }

  init(limits: WebSocketLimits, listener: @escaping @Sendable (WebSocketEvent) -> Void) {
    self.limits = limits
    self.listener = listener
  }

  // MARK: Lifetime

  /// Attaches the channel of a new connection before any data is exchanged.
  func attach(_ channel: any Channel) {
    if isOver { return channel.close(promise: nil) }
    self.channel = channel
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if isOver { return context.close(promise: nil) }
    self.context = context
    listener?(.opened)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    end("it was closed")
  }

  func channelInactive(context: ChannelHandlerContext) {
    end("the server or the network ended it")
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail("\(error)") }

  /// Ends the connection after a failure.
  func fail(_ reason: String) {
    end(reason)
    channel?.close(promise: nil)
  }

  /// Sends a close frame; no event follows.
  func sendClose() {
    listener = nil
    guard !isOver else { return }
    isOver = true
    guard let channel, let context, channel.isActive else {
      channel?.close(promise: nil)
      return
    }
    write(.connectionClose, [0x03, 0xE8], context)
    context.flush()
    // Normally the server answers the close frame and ends the connection; otherwise the client ends it.
    channel.eventLoop.scheduleTask(in: .milliseconds(limits.closeMilliseconds)) { channel.close(promise: nil) }
  }

  private func end(_ reason: String) {
    guard !isOver else { return }
    isOver = true
    deliverMessages()
    listener?(.closed(reason))
    listener = nil
  }

  // MARK: Inbound

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if isOver {
      // Answers the close frame of the server.
      if frame.opcode == .connectionClose { context.close(promise: nil) }
      return
    }
    guard frame.maskKey == nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return fail("the server sent a frame that breaks the WebSocket protocol")
    }
    switch frame.opcode {
    case .text, .binary:
      guard partial == nil else { return fail("the server began a message inside of another one") }
      partial = Partial(bytes: [], fragments: 0, isText: frame.opcode == .text)
      take(frame)
    case .continuation:
      guard partial != nil else { return fail("the server went on with a message that it had not begun") }
      take(frame)
    case .ping:
      // A server that sends pings without reading the pongs receives no more pongs.
      if context.channel.isWritable {
        write(.pong, Array(buffer: frame.data), context)
        context.flush()
      }
      listener?(.alive)
    case .pong: listener?(.alive)
    case .connectionClose:
      let code = frame.data.getInteger(at: frame.data.readerIndex, as: UInt16.self)
      write(.connectionClose, [0x03, 0xE8], context)
      context.flush()
      fail("the server said goodbye\(code.map { " with code \($0)" } ?? "")")
    default: fail("the server sent a frame of an unknown kind")
    }
  }

  private func take(_ frame: WebSocketFrame) {
    guard var partial = self.partial.take() else { return }
    let size = frame.data.readableBytes
    guard size <= limits.messageBytesMax - partial.bytes.count, partial.fragments < limits.fragmentsMax else {
      return fail("the server sent a message of more than \(limits.messageBytesMax) bytes")
    }
    if partial.isText {
      if partial.bytes.isEmpty, frame.fin {
        partial.bytes = Array(buffer: frame.data)
      } else {
        partial.bytes.append(contentsOf: frame.data.readableBytesView)
      }
    }
    partial.fragments += 1
    guard frame.fin else {
      self.partial = partial
      return
    }
    guard partial.isText else { return }
    unread += partial.bytes.count + limits.messageOverhead
    messages.append(partial.bytes)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    deliverMessages()
    context.fireChannelReadComplete()
  }

  private func deliverMessages() {
    guard !messages.isEmpty else { return }
    let delivered = messages
    messages = []
    listener?(.received(delivered))
  }

  /// Returns the size of messages as counted for ``WebSocketLimits/unreadBytesMax``.
  static func cost(of messages: [[UInt8]], _ limits: WebSocketLimits) -> Int {
    messages.reduce(0) { $0 + $1.count + limits.messageOverhead }
  }

  func read(context: ChannelHandlerContext) {
    if unread > limits.unreadBytesMax { isReadPaused = true } else { context.read() }
  }

  func consumed(_ bytes: Int) {
    unread -= bytes
    guard isReadPaused, unread <= limits.unreadBytesMax / 2 else { return }
    isReadPaused = false
    context?.read()
  }

  // MARK: Outbound

  func send(_ texts: [[UInt8]]) {
    guard !isOver, let context else { return }
    for text in texts { write(.text, text, context) }
    context.flush()
  }

  func ping() {
    guard !isOver, let context else { return }
    write(.ping, [], context)
    context.flush()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if !isOver { listener?(.writable(context.channel.isWritable)) }
    context.fireChannelWritabilityChanged()
  }

  private func write(_ opcode: WebSocketOpcode, _ bytes: [UInt8], _ context: ChannelHandlerContext) {
    let frame = WebSocketFrame(
      fin: true, opcode: opcode, maskKey: .random(), data: context.channel.allocator.buffer(bytes: bytes))
    context.write(wrapOutboundOut(frame), promise: nil)
  }
}
