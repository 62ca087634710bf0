import NIOCore

/// A WebSocket of the load generator, which counts received messages and sends prepared ones. It belongs to one event
/// loop, on which all calls must be made.
final class BenchSocket: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  enum Message {
    case hello
    case push
    /// The cancellation of a listen.
    case cancel
    case reply(number: Int, isOK: Bool)
    /// A close frame.
    case close
    case other
  }

  /// Called for each message; replaced for each phase of the run.
  var onMessage: (BenchSocket, Message) -> Void = { _, _ in }
  var onClose: (BenchSocket) -> Void = { _ in }
  let index: Int
  /// True to keep the text of each message, for callers that read more than its kind.
  var keepsText = false
  private(set) var text = ""
  private(set) var channel: (any Channel)?
  private(set) var requestNumber = 0
  private var pending = ByteBuffer()
  private var isUpgraded = false
  private let upgradeRequest: String

  init(index: Int, upgradeRequest: String) {
    self.index = index
    self.upgradeRequest = upgradeRequest
  }

  /// Connects and requests the upgrade; the server's hello arrives as a message.
  func connect(
    on loop: any EventLoop, host: String, port: Int, from source: String? = nil
  ) -> EventLoopFuture<Void> {
    BenchDialer.connect(self, on: loop, host: host, port: port, from: source)
  }

  func close() { channel?.close(promise: nil) }

  func channelActive(context: ChannelHandlerContext) {
    channel = context.channel
    context.writeAndFlush(NIOAny(ByteBuffer(string: upgradeRequest)), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    channel = nil
    onClose(self)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var read = unwrapInboundIn(data)
    if pending.readableBytes == 0 { pending = read } else { pending.writeBuffer(&read) }
    if !isUpgraded {
      guard let end = pending.readableBytesView.firstRange(ofHeadEnd: ()) else { return }
      guard pending.readableBytesView.starts(with: "HTTP/1.1 101".utf8) else { return context.close(promise: nil) }
      pending.moveReaderIndex(forwardBy: end)
      isUpgraded = true
    }
    while let message = nextMessage() { onMessage(self, message) }
    if pending.readableBytes == 0 { pending.clear(minimumCapacity: 0) } else { pending.discardReadBytes() }
  }

  /// Sends a request; `flush` is separate so that several requests share one system call.
  @discardableResult
  func send(action: String, body: String) -> Int {
    requestNumber += 1
    send(text: "{\"t\":\"d\",\"d\":{\"r\":\(requestNumber),\"a\":\"\(action)\",\"b\":\(body)}}")
    return requestNumber
  }

  func send(text: String) { channel?.write(ByteBuffer(bytes: ClientFrame.text(text)), promise: nil) }

  func flush() { channel?.flush() }

  private func nextMessage() -> Message? {
    let view = pending.readableBytesView
    let start = view.startIndex
    guard view.count >= 2 else { return nil }
    var (header, length) = (2, Int(view[start + 1] & 0x7F))
    if length == 126 {
      guard let long = pending.getInteger(at: pending.readerIndex + 2, as: UInt16.self) else { return nil }
      (header, length) = (4, Int(long))
    } else if length == 127 {
      guard let long = pending.getInteger(at: pending.readerIndex + 2, as: UInt64.self) else { return nil }
      (header, length) = (10, Int(clamping: long))
    }
    guard view.count - header >= length else { return nil }
    let opcode = view[start] & 0x0F
    let payload = view[(start + header)..<(start + header + length)]
    let message = opcode == 1 ? Self.classify(payload) : opcode == 8 ? .close : .other
    if keepsText { text = String(decoding: payload, as: UTF8.self) }
    pending.moveReaderIndex(forwardBy: header + length)
    return message
  }

  private static let push = Array("{\"t\":\"d\",\"d\":{\"a\":\"".utf8)
  private static let reply = Array("{\"t\":\"d\",\"d\":{\"r\":".utf8)
  private static let hello = Array("{\"t\":\"c\",\"d\":{\"t\":\"h\"".utf8)
  private static let okay = Array("\"s\":\"ok\"".utf8)

  private static func classify(_ text: ByteBufferView) -> Message {
    if text.starts(with: push) {
      let kind = text[(text.startIndex + push.count)...].prefix(2)
      return kind.elementsEqual([UInt8(ascii: "c"), UInt8(ascii: "\"")]) ? .cancel : .push
    }
    if text.starts(with: reply) {
      var number = 0
      var index = text.startIndex + reply.count
      while index < text.endIndex, case let digit = text[index] &- 0x30, digit < 10 {
        number = number &* 10 &+ Int(digit)
        index += 1
      }
      let rest = text[index...].prefix(32)
      let isOK = rest.indices.contains { rest[$0...].starts(with: okay) }
      return .reply(number: number, isOK: isOK)
    }
    return text.starts(with: hello) ? .hello : .other
  }
}

extension ByteBufferView {
  /// Returns the length of an HTTP response's head in bytes, with its empty line.
  fileprivate func firstRange(ofHeadEnd: Void) -> Int? {
    let mark: [UInt8] = [13, 10, 13, 10]
    guard count >= 4 else { return nil }
    for index in startIndex...(endIndex - 4) where self[index...].starts(with: mark) { return index - startIndex + 4 }
    return nil
  }
}
