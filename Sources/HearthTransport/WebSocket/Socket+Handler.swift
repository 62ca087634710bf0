import NIOCore

extension Socket: ChannelDuplexHandler {
  /// Bytes as they came.
  package typealias InboundIn = ByteBuffer
  /// Whole frames.
  package typealias OutboundIn = ByteBuffer
  /// The same.
  package typealias OutboundOut = ByteBuffer

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    outlet = Outlet(loop: loop, context: context, share: share, isDirect: !peer.isEncrypted, owner: self)
    loop.add(self)
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    endOutlet()
    loop.remove(self)
    share.end()
    self.context = nil
    state = .closed
    finish(.disconnected)
  }

  /// Whoever closes the channel: its socket is not used any more.
  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    endOutlet()
    context.close(mode: mode, promise: promise)
  }

  /// Tells the delegate that it may speak. The handshake was answered.
  func start() {
    delegate?.opened(self)
    flush()
    // The handshake's answer waits too when the delegate said nothing.
    context?.flush()
  }

  // MARK: Receiving

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    guard state == .open || state == .closing else { return }
    heardAt = loop.now
    if input.readableBytes == 0 {
      input = bytes
    } else {
      input.writeBuffer(&bytes)
    }
    readFrames()
    // An idle socket holds no buffer.
    if input.readableBytes == 0 { input = ByteBuffer() }
  }

  private func readFrames() {
    do throws(SocketViolation) {
      while state == .open || state == .closing, let event = try parser.next(&input) {
        switch event {
        case .text: try receiveText()
        case .ping(let payload): sendControl(FrameWriter.control(.pong, payload: payload))
        case .pong: break
        case .close(let code): answerClose(code: code)
        }
      }
    } catch {
      refuse(error)
    }
  }

  private func receiveText() throws(SocketViolation) {
    guard state == .open, let delegate else { return }
    // Held here, because the delegate may do anything to the socket meanwhile.
    let message = parser.message
    hasDelivered = true
    let violation: SocketViolation? = message.withUnsafeBytes { bytes in
      do throws(SocketViolation) {
        try delegate.received(bytes, on: self)
        return nil
      } catch {
        return error
      }
    }
    if let violation { throw violation }
    if delegate.unfinishedBytes == nil { messageBeganAt = nil }
  }

  package func channelReadComplete(context: ChannelHandlerContext) { finishReadCycle() }

  func finishReadCycle() {
    if hasDelivered {
      hasDelivered = false
      delegate?.finishedReading(self)
    }
    parser.release()
    countUnfinished()
    flush()
  }

  // MARK: Back pressure

  /// Nothing more is read from a client that does not take its answers.
  package func read(context: ChannelHandlerContext) {
    if context.channel.isWritable || state != .open {
      context.read()
    } else {
      isReadHeld = true
    }
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    guard context.channel.isWritable, isReadHeld else { return }
    isReadHeld = false
    context.read()
  }

  // MARK: Ends that nobody asked for

  package func channelInactive(context: ChannelHandlerContext) {
    state = .closed
    endOutlet()
    loop.remove(self)
    share.end()
    finish(.disconnected)
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    state = .closed
    endOutlet()
    context.close(promise: nil)
    finish(.disconnected)
  }
}
