import NIOCore

/// The checks that the loop makes once a second, for clients that are silent, slow, or never finish a message.
extension Socket: TransportConnection {
  package func sweep() {
    if loop.now >= closeBy { return abandon(.closedByServer) }
    guard state == .open, let context else { return }
    guard outlet?.isWritable ?? context.channel.isWritable else { return sweepStalled() }
    // A client that is not read for a while cannot count as silent.
    if !isReading { heardAt = loop.now }
    drained.at = loop.now
    sweepMessage()
    sweepSilence()
  }

  /// Closes a client that takes no output. A client that takes some is alive, although it sends none.
  private func sweepStalled() {
    let taken = outlet?.takenBytes ?? share.written
    if taken != drained.bytes { drained = (taken, loop.now) }
    heardAt = loop.now
    if loop.now - drained.at >= Int32(loop.limits.stallTimeoutSeconds) { abandon(.slowConsumer) }
  }

  /// Closes a client whose message does not end in time: an announced frame costs its sender little.
  private func sweepMessage() {
    guard parser.isInsideMessage || delegate?.unfinishedBytes != nil else {
      messageBeganAt = nil
      return
    }
    let began = messageBeganAt ?? loop.now
    messageBeganAt = began
    if loop.now - began >= Int32(loop.limits.messageTimeoutSeconds) {
      refuse(SocketViolation(code: 1008, text: "a message was not completed in time"))
    }
  }

  private func sweepSilence() {
    let limits = loop.limits
    if !mayBePinged {
      // A client that is sent messages all the time may send none; the kernel notices when it is gone.
      let active = max(heardAt, outlet?.sentAt ?? heardAt)
      if loop.now - active >= Int32(limits.unpingableSilenceSeconds) { abandon(.silent) }
      return
    }
    let silence = loop.now - heardAt
    if silence < Int32(limits.pingAfterSeconds) {
      isPinged = false
    } else if silence >= Int32(limits.silenceSeconds) {
      abandon(.silent)
    } else if !isPinged {
      isPinged = true
      sendControl(FrameWriter.control(.ping))
    }
  }

  /// Counts the memory of messages that are unfinished or not decoded.
  func countUnfinished() {
    guard state == .open || state == .closing else { return }
    let kept = (delegate?.unfinishedBytes ?? 0) + (delegate?.undecodedBytes ?? 0)
    let bytes = input.readableBytes + parser.message.count + kept
    guard bytes != unfinishedBytes else { return }
    share.setInbound(bytes, arrived: max(0, bytes - unfinishedBytes))
    unfinishedBytes = bytes
  }

  package func shutDown() {
    flush()
    close(code: 1001, reason: "the server is shutting down")
    // Acknowledged data reaches the client. Its own close frame is optional: the next server waits for this one's end.
    outlet?.whenWritten { [self] in
      loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(loop.limits.closeMilliseconds))) {
        self.abandon(.closedByServer)
      }
    }
  }

  package func abort() { abandon(.closedByServer) }

  package func countOutbound() { outlet?.countOutbound() }

  package func giveUpMemory() {
    guard unfinishedBytes > 0, context?.waitingBytes ?? 0 < unfinishedBytes else { return abandon(.slowConsumer) }
    refuse(SocketViolation(code: 1013, text: "too many unfinished messages; try again later"))
  }
}
