import NIOCore
import NIOHTTP1

/// Receiving requests: the checks of the head, and the limits on size and pace of the body.
extension HTTPHandler {
  /// Returns true for a request after which the decoder reads no more.
  static func isUpgrade(_ head: HTTPRequestHead) -> Bool {
    head.method == .CONNECT || head.headers.contains(name: "Upgrade")
  }

  func receive(_ sent: HTTPRequestHead) {
    let normalized = sent.normalized
    let head = normalized ?? sent
    let id = loop.requestIDs.id(of: head.headers, from: peer)
    var framing = Framing(
      requestID: id, keepsAlive: head.isKeepAlive, isHead: head.method == .HEAD,
      isUpgrade: Self.isUpgrade(head),
      mayChunk: head.version.major == 1 && head.version.minor >= 1)
    let request = HTTPRequest(method: head.method, target: head.uri, headers: head.headers, peer: peer, id: id)
    routed = responder.responder(for: request)
    if let failure = normalized == nil ? .malformed : problem(of: head) { return refuse(failure, request) }
    framing.bodyLimit = routed.bodyLimit(for: request)
    let length = head.headers.first(name: "Content-Length").flatMap(Int.init) ?? 0
    if let limit = framing.bodyLimit, length > limit.bytesMax { return refuse(with: limit.response(), id: id) }
    phase = .receiving(request, framing)
    rateCheck = BodyRateCheck(beganAt: loop.now, loop.limits)
    deadline = loop.now + Int32(loop.limits.bodyPauseSeconds)
    guard length <= loop.limits.bodyBytesWithoutCredentialMax || admitLarge(length, request, framing) else { return }
    guard length <= TransportLimits.bodyBytesWithoutAdmission || admitBody() else { return }
    askForBody(request)
  }

  private func askForBody(_ request: HTTPRequest) {
    if WebSocketHandshake.hasToken("100-continue", in: request.headers["Expect"]) {
      context?.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
    }
  }

  /// Asks whether the body may be read now. Otherwise the connection is not read until it may, so that the body waits
  /// at the client and is not held here.
  ///
  /// - Returns: false when it is not read now.
  private func admitBody(waits: Int = 0) -> Bool {
    guard case .receiving(let request, var framing) = phase else { return false }
    switch routed.admission(of: request, waits: waits, on: loop) {
    case .now:
      framing.isAdmitted = true
      phase = .receiving(request, framing)
      return true
    case .refused(let response):
      refuse(with: response)
      return false
    case .later(let milliseconds):
      isBodyPaused = true
      loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(max(1, milliseconds))) {
        self.isBodyPaused = false
        guard case .receiving = self.phase, self.admitBody(waits: waits + 1) else { return self.drain() }
        self.rateCheck = BodyRateCheck(beganAt: self.loop.now, self.loop.limits)
        self.deadline = self.loop.now + Int32(self.loop.limits.bodyPauseSeconds)
        if self.body.readableBytes == 0 { self.askForBody(request) }
        self.drain()
      }
      return false
    }
  }

  private func problem(of head: HTTPRequestHead) -> HTTPFailure? {
    let hosts = head.headers["Host"].count
    guard hosts == 1 || (hosts == 0 && head.version == .http1_0) else { return .malformed }
    let size = head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    guard size <= loop.limits.headBytesMax else { return .headTooLong }
    if let length = head.headers.first(name: "Content-Length").flatMap(Int.init), length > loop.limits.bodyBytesMax {
      return .bodyTooLong
    }
    return nil
  }

  func receive(_ bytes: ByteBuffer, _ request: HTTPRequest, _ framing: Framing) {
    if body.readableBytes == 0 { body = bytes } else { body.writeImmutableBuffer(bytes) }
    let count = body.readableBytes
    if let limit = framing.bodyLimit, count > limit.bytesMax { return refuse(with: limit.response()) }
    if count > loop.limits.bodyBytesMax { return refuse(.bodyTooLong, request) }
    if count > loop.limits.bodyBytesWithoutCredentialMax, !framing.isCallerKnown {
      guard admitLarge(count, request, framing) else { return }
    }
    if count > TransportLimits.bodyBytesWithoutAdmission, !framing.isAdmitted { _ = admitBody() }
    guard case .receiving = phase else { return }
    // A chunked body reveals its size only as it grows.
    if share.isAnonymous, count > loop.memory.anonymousBytesMax { return refuse(.bodyNeedsCredential, request) }
    rateCheck.received(bytes.readableBytes)
    deadline = loop.now + Int32(loop.limits.bodyPauseSeconds)
    share.setInbound(count, arrived: bytes.readableBytes)
  }

  /// Authenticates the sender of a large body before the rest of it is read, by the request's head.
  ///
  /// - Returns: false when the request is refused.
  private func admitLarge(_ bytes: Int, _ request: HTTPRequest, _ framing: Framing) -> Bool {
    switch routed.caller(of: request, on: loop) {
    case .known: break
    case .anonymous where bytes > loop.memory.anonymousBytesMax:
      refuse(.bodyNeedsCredential, request)
      return false
    case .anonymous: share.isAnonymous = true
    case .refused(let response):
      refuse(with: response)
      return false
    }
    var framing = framing
    framing.isCallerKnown = true
    phase = .receiving(request, framing)
    return true
  }

  /// Releases the body of a request that is answered or refused.
  func forgetBody() {
    body = ByteBuffer()
    share.isBeingProcessed = false
    share.isAnonymous = false
    share.setInbound(0)
  }
}
