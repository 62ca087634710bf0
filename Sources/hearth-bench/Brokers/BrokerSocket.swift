import NIOCore

/// One connection to a broker; counts deliveries by their bytes. Lives on one event loop.
final class BrokerSocket: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// Called for each delivery.
  var onDelivery: () -> Void = {}
  var onReady: () -> Void = {}
  var onClose: () -> Void = {}
  private var channel: (any Channel)?
  private let broker: Broker
  private let isSubscriber: Bool
  private let deliveryBytes: Int
  private var head: [UInt8] = []
  private var isReady = false
  private var rest = 0

  init(_ broker: Broker, isSubscriber: Bool, payloadBytes: Int) {
    self.broker = broker
    self.isSubscriber = isSubscriber
    deliveryBytes = broker.delivery(payloadBytes)
  }

  func connect(on loop: any EventLoop, port: Int) -> EventLoopFuture<Void> {
    BenchDialer.connect(self, on: loop, host: "127.0.0.1", port: port)
  }

  func send(_ bytes: [UInt8]) { channel?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

  func close() {
    onClose = {}
    channel?.close(promise: nil)
  }

  func channelActive(context: ChannelHandlerContext) {
    channel = context.channel
    send(broker.greeting + (isSubscriber ? broker.subscribe : []))
  }

  func channelInactive(context: ChannelHandlerContext) {
    channel = nil
    onClose()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data).readableBytesView
    guard isSubscriber else { return }
    if !isReady {
      head += bytes
      guard let end = broker.isReady(head) else { return }
      isReady = true
      rest = head.count - end
      head = []
      onReady()
    } else {
      rest += bytes.count
    }
    while rest >= deliveryBytes {
      rest -= deliveryBytes
      onDelivery()
    }
  }
}
