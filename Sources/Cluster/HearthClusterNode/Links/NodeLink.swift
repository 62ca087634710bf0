import HearthCluster
import NIOCore
import Synchronization

/// An established connection to a node. Messages arrive in order and without a gap; otherwise the connection ends.
final class NodeLink: Sendable {
  /// The incarnation of the peer.
  let peer: Incarnation
  /// The protocol version that both sides support.
  let version: UInt16
  private let channel: any Channel
  private let limits: LinkLimits
  private let unsentBytes = Atomic<Int>(0)
  /// The messages that are written together, in one turn of the event loop.
  private let outbox = Mutex(Outbox())
  private let questions: Mutex<PendingQuestions<EventLoopPromise<[UInt8]>>>

  /// The maximum capacity that is reserved for the next messages written together, according to the size of the last
  /// ones.
  private static let reservedBytesMax = 256 << 10

  private struct Outbox {
    var bytes = ByteBuffer()
    var isAwaited = false
  }

  init(_ peer: Incarnation, version: UInt16, _ channel: any Channel, _ limits: LinkLimits) {
    (self.peer, self.version, self.channel, self.limits) = (peer, version, channel, limits)
    questions = Mutex(PendingQuestions(countMax: limits.questionsMax))
  }

  /// Sends a message, from any thread; those of one thread stay in order. When too much is unsent, the connection ends
  /// instead, because no message may be skipped.
  func send(_ message: LinkMessage) {
    let bytes = message.encoded(in: version)
    let waiting = unsentBytes.add(bytes.count, ordering: .relaxed).newValue
    guard waiting <= limits.unsentBytesMax else { return end(.overflow(bytes: waiting)) }
    let isFirst = outbox.withLock { outbox in
      outbox.bytes.writeBytes(bytes)
      defer { outbox.isAwaited = true }
      return !outbox.isAwaited
    }
    if isFirst { channel.eventLoop.execute { self.flush() } }
  }

  private func flush() {
    let bytes = outbox.withLock { outbox in
      defer {
        // The messages of the next turn of the event loop are likely to have a similar size.
        let capacity = min(outbox.bytes.readableBytes, Self.reservedBytesMax)
        outbox = Outbox(bytes: ByteBufferAllocator().buffer(capacity: capacity))
      }
      return outbox.bytes
    }
    let count = bytes.readableBytes
    channel.writeAndFlush(bytes).whenComplete { [self] _ in unsentBytes.subtract(count, ordering: .relaxed) }
  }

  /// Ends the connection; at once when called on its event loop.
  func end(_ problem: LinkProblem) { channel.pipeline.fireUserInboundEventTriggered(problem) }

  // MARK: Questions

  /// Asks the node a question, from any thread.
  ///
  /// - Returns: The answer, or a ``QuestionProblem``; on the connection's event loop.
  func ask(_ content: [UInt8], timeoutSeconds: Int) -> EventLoopFuture<[UInt8]> {
    let loop = channel.eventLoop
    guard content.count <= ClusterLimits.questionBytesMax else {
      return loop.makeFailedFuture(QuestionProblem.tooLarge(bytes: content.count))
    }
    guard hasRoom(for: content) else { return loop.makeFailedFuture(QuestionProblem.crowded) }
    let promise = loop.makePromise(of: [UInt8].self)
    let number: UInt64
    do throws(QuestionProblem) {
      number = try questions.withLock { questions throws(QuestionProblem) in try questions.add(promise) }
    } catch {
      promise.fail(error)
      return promise.futureResult
    }
    let deadline = loop.scheduleTask(in: .seconds(Int64(timeoutSeconds))) { [self] in
      settle(number, .failure(QuestionProblem.late(seconds: timeoutSeconds)))
    }
    promise.futureResult.whenComplete { _ in deadline.cancel() }
    send(.question(number: number, content))
    return promise.futureResult
  }

  /// Handles a reply; ignores it when its question is no longer pending.
  func take(_ reply: LinkReply, to number: UInt64) {
    switch reply {
    case .content(let content): settle(number, .success(content))
    case .refused(let refusal): settle(number, .failure(QuestionProblem.refused(refusal)))
    }
  }

  /// Sends the reply to the node's question with a number.
  func reply(_ result: Result<[UInt8], any Error>, to number: UInt64) {
    let reply: LinkReply =
      switch result {
      case .success(let content) where content.count <= ClusterLimits.questionBytesMax && hasRoom(for: content):
        .content(content)
      case .success: .refused(.noRoom)
      case .failure(let error): .refused(error as? LinkRefusal ?? .failed)
      }
    send(.reply(number: number, reply))
  }

  /// Fails the pending questions after the end of the connection.
  func ended(_ problem: LinkProblem) {
    for promise in questions.withLock({ $0.end() }) { promise.fail(QuestionProblem.ended(problem)) }
  }

  private func settle(_ number: UInt64, _ result: Result<[UInt8], any Error>) {
    questions.withLock { $0.remove(number) }?.completeWith(result)
  }

  /// Returns true when the content fits into half of the limit of unsent bytes. The other half is for other messages,
  /// which end the connection when they exceed the limit.
  private func hasRoom(for content: [UInt8]) -> Bool {
    unsentBytes.load(ordering: .relaxed) + content.count <= limits.unsentBytesMax / 2
  }
}
