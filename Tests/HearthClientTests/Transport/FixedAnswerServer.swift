import NIOCore
import NIOPosix

/// A server that gives every client the same answer.
struct FixedAnswerServer {
  private let listener: any Channel

  static func start(_ text: String) async throws -> FixedAnswerServer {
    FixedAnswerServer(
      listener: try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in channel.pipeline.addHandler(Answering(text)) }
        .bind(host: "127.0.0.1", port: 0).get())
  }

  var port: Int { listener.localAddress?.port ?? 0 }

  func stop() async { try? await listener.close() }

  private final class Answering: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let text: String

    init(_ text: String) { self.text = text }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: text)), promise: nil)
    }
  }
}
