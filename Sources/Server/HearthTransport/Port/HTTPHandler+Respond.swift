import NIOCore
import NIOHTTP1

/// Sending responses, and what follows on the connection.
extension HTTPHandler {
  func dispatch(_ request: HTTPRequest, _ framing: Framing) {
    guard let context else { return }
    turnLeft -= 1
    if WebSocketHandshake.isWanted(request) {
      switch acceptor.accept(request, on: loop) {
      case .accept(let delegate): return upgrade(request, delegate, context)
      case .refuse(let response): return respond(response)
      case .none: break
      }
    }
    let head = request.head
    let cancellation = RequestCancellation()
    self.cancellation = cancellation
    var request = request
    request.cancellation = cancellation
    routed.respond(to: request, on: loop).hop(to: loop.eventLoop).assumeIsolated().whenComplete { result in
      switch result {
      case .success(let response): self.respond(response)
      case .failure: self.respond(self.routed.response(to: .internalError, for: head))
      }
      self.drain()
    }
  }

  private func respond(_ response: HTTPResponse) {
    guard case .responding(let framing) = phase, let context else {
      response.stream?.value.closed()
      return
    }
    cancellation = nil
    forgetBody()
    if let stream = response.stream {
      if !framing.isHead, !loop.isShuttingDown { return begin(response, stream.value, framing, context) }
      stream.value.closed()
    }
    let ends =
      !framing.keepsAlive || response.closesConnection || framing.isUpgrade || loop.isShuttingDown
    write(response, of: framing.requestID, keepsAlive: !ends, omitsBody: framing.isHead, context)
    if ends {
      phase = .ending
      deadline = loop.now + Int32(loop.limits.stallTimeoutSeconds)
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
    } else {
      phase = .waiting
      deadline = loop.now + Int32(loop.limits.idleTimeoutSeconds)
      if response.readPauseMilliseconds > 0 { pauseForRate(milliseconds: response.readPauseMilliseconds) }
    }
  }

  /// Writes the head and leaves the rest to the delegate. No more input is expected from the client.
  private func begin(
    _ response: HTTPResponse, _ delegate: any HTTPStreamDelegate, _ framing: Framing, _ context: ChannelHandlerContext
  ) {
    let isChunked = framing.mayChunk && !response.isUnframed
    let (head, _) = response.buffers(
      date: loop.dateText, id: framing.requestID, keepsAlive: false, omitsBody: true,
      framing: isChunked ? .chunks : .connection)
    let stream = HTTPStream(
      loop: loop, context: context, share: share, isChunked: isChunked, isDirect: !peer.isEncrypted,
      delegate: delegate)
    phase = .streaming(stream)
    loop.meters.answered(response.status.code)
    share.write(head, to: context)
    stream.start()
    stream.flush()
    context.flush()
  }

  private func write(
    _ response: HTTPResponse, of id: String, keepsAlive: Bool, omitsBody: Bool, _ context: ChannelHandlerContext
  ) {
    let (head, body) = response.buffers(date: loop.dateText, id: id, keepsAlive: keepsAlive, omitsBody: omitsBody)
    loop.meters.answered(response.status.code)
    untakenBytes = body?.readableBytes ?? 0
    share.write(head, to: context)
    if let body {
      let isLarge = body.readableBytes > loop.memory.limits.uncountedTextBytesMax
      share.write(body, of: isLarge ? loop.memory.text(bytes: body.readableBytes) : nil, to: context)
    }
    if isReading { needsFlush = true } else { context.flush() }
  }

  /// Responds to a request that is not passed on. The client may still be sending: closing at once would lose the
  /// response.
  func refuse(_ failure: HTTPFailure, _ request: HTTPRequest?) {
    refuse(with: (request == nil ? responder : routed).response(to: failure, for: request), id: request?.id)
  }

  /// Refuses a request with this response.
  ///
  /// - Parameter id: the request's id, when its head is not processed yet.
  func refuse(with response: HTTPResponse, id: String? = nil) {
    if case .ending = phase { return }
    guard let context else { return }
    // in the middle of a body no other response is possible
    if case .streaming = phase { return abort() }
    var (isHead, id) = (false, id)
    if case .receiving(_, let framing) = phase { (isHead, id) = (framing.isHead, framing.requestID) }
    forgetBody()
    phase = .ending
    deadline = loop.now + Int32(loop.limits.lingerSeconds)
    write(response, of: id ?? loop.requestIDs.next(), keepsAlive: false, omitsBody: isHead, context)
    context.flush()
  }

  // MARK: WebSocket

  private func upgrade(_ request: HTTPRequest, _ delegate: any SocketDelegate, _ context: ChannelHandlerContext) {
    guard let response = WebSocketHandshake.response(to: request) else {
      return respond(routed.response(to: .badUpgrade, for: request))
    }
    let socket = Socket(loop: loop, peer: peer, delegate: delegate)
    let pipeline = context.pipeline.syncOperations
    do {
      try pipeline.addHandler(socket, position: .after(self))
    } catch {
      return context.close(promise: nil)
    }
    let (head, _) = response.buffers(date: loop.dateText, id: request.id, keepsAlive: true, omitsBody: true)
    loop.meters.answered(response.status.code)
    context.write(wrapOutboundOut(head), promise: nil)
    let wasReadPaused = isReadPaused
    leave()
    // This handler first: bytes behind the request leave the decoder on its removal, and they belong to the socket.
    pipeline.removeHandler(self, promise: nil)
    socket.start()
    pipeline.removeHandler(decoder, promise: nil)
    // The decoder passes its bytes on without the end of a read cycle.
    loop.eventLoop.execute { socket.finishReadCycle() }
    if wasReadPaused { socket.context?.read() }
  }
}
