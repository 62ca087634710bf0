import HearthCluster
import NIOCore
import Synchronization

/// A connection to a node that has greeted: what is sent over it comes in order, or it ends.
final class Link: Sendable {
  /// The run of the node that it leads to.
  let peer: Incarnation
  /// The version of the protocol that both sides speak.
  let version: UInt16
  private let channel: any Channel
  private let limits: LinkLimits
  private let unsentBytes = Atomic<Int>(0)
  /// Messages that go out together, in one turn of the event loop.
  private let outbox = Mutex(Outbox())
  private let questions: Mutex<OpenQuestions<EventLoopPromise<[UInt8]>>>

  /// Room that is set aside for messages that go out together, when there were as many before.
  private static let reservedBytesMax = 256 << 10

  private struct Outbox {
    var bytes = ByteBuffer()
    var isAwaited = false
  }

  init(_ peer: Incarnation, version: UInt16, _ channel: any Channel, _ limits: LinkLimits) {
    (self.peer, self.version, self.channel, self.limits) = (peer, version, channel, limits)
    questions = Mutex(OpenQuestions(countMax: limits.questionsMax))
  }

  /// Sends a message, from any thread; those of one thread come in their order. When too much waits, the connection ends
  /// instead: a message in between must not be missing.
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
        // About as much comes the next time.
        let capacity = min(outbox.bytes.readableBytes, Self.reservedBytesMax)
        outbox = Outbox(bytes: ByteBufferAllocator().buffer(capacity: capacity))
      }
      return outbox.bytes
    }
    let count = bytes.readableBytes
    channel.writeAndFlush(bytes).whenComplete { [self] _ in unsentBytes.subtract(count, ordering: .relaxed) }
  }

  /// Ends the connection; on its event loop at once.
  func end(_ problem: LinkProblem) { channel.pipeline.fireUserInboundEventTriggered(problem) }

  // MARK: Questions

  /// Asks the node something, from any thread.
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

  /// A reply came; nothing happens when nobody waits for it any more.
  func take(_ reply: LinkReply, to number: UInt64) {
    switch reply {
    case .content(let content): settle(number, .success(content))
    case .refused(let refusal): settle(number, .failure(QuestionProblem.refused(refusal)))
    }
  }

  /// Says what became of the node's question of that number.
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

  /// The connection has ended: what was asked over it is not answered any more.
  func ended(_ problem: LinkProblem) {
    for promise in questions.withLock({ $0.end() }) { promise.fail(QuestionProblem.ended(problem)) }
  }

  private func settle(_ number: UInt64, _ result: Result<[UInt8], any Error>) {
    questions.withLock { $0.remove(number) }?.completeWith(result)
  }

  /// Returns true when this leaves half of what may wait to be sent to other traffic, which ends the connection when it is
  /// too much.
  private func hasRoom(for content: [UInt8]) -> Bool {
    unsentBytes.load(ordering: .relaxed) + content.count <= limits.unsentBytesMax / 2
  }
}
