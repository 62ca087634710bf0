import NIOCore

extension Socket: ChannelDuplexHandler {
  /// The bytes as they arrive.
  package typealias InboundIn = ByteBuffer
  /// The complete frames.
  package typealias OutboundIn = ByteBuffer
  /// The complete frames, unchanged.
  package typealias OutboundOut = ByteBuffer

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    outlet = Outlet(loop: loop, context: context, share: share, isDirect: !peer.isEncrypted, owner: self)
    loop.add(self)
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    lose()
  }

  /// Ends the outlet before the channel closes its socket, by whichever caller.
  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    endOutlet()
    context.close(mode: mode, promise: promise)
  }

  /// Notifies the delegate that it may send. The handshake was answered.
  func start() {
    delegate?.opened(self)
    flush()
    // The response to the handshake waits too when the delegate sent no message.
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
    if !isQueued { readFrames() }
  }

  /// Handles the received frames, as many as the turn allows, while the delegate is reading. Frames that came together
  /// are handled in order, in this turn and later ones.
  func readFrames() {
    do throws(SocketViolation) {
      while state == .open && isReading || state == .closing, turnLeft > 0, let event = try parser.next(&input) {
        turnLeft -= 1
        switch event {
        case .text: try receiveText()
        case .ping(let payload): sendControl(FrameWriter.control(.pong, payload: payload))
        case .pong: break
        case .unfinished: turnLeft = 0
        case .close(let code): answerClose(code: code)
        }
      }
    } catch {
      refuse(error)
    }
    if input.readableBytes == 0 {
      // An idle socket holds no buffer.
      input = ByteBuffer()
    } else if turnLeft <= 0 {
      joinQueue()
    }
  }

  private func receiveText() throws(SocketViolation) {
    guard state == .open, let delegate else { return }
    // In a local constant, because the delegate may change the socket meanwhile.
    let message = parser.message
    turnLeft -= message.count / TransportLimits.turnBytesPerMessage
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
    turnLeft = loop.limits.turnMessagesMax
    parser.release()
    countUnfinished()
    flush()
  }

  // MARK: Back pressure

  /// Reads no more from a client that does not take its output, or that has sent more than a turn handles.
  package func read(context: ChannelHandlerContext) {
    if context.channel.isWritable && !isQueued || state != .open {
      context.read()
    } else {
      isReadPaused = true
    }
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) { resumeRead() }

  // MARK: Ends that the server did not start

  package func channelInactive(context: ChannelHandlerContext) { lose() }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    state = .closed
    endOutlet()
    context.close(promise: nil)
    finish(.disconnected)
  }
}
