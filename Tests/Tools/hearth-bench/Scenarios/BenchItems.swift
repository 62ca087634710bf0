import HearthTree
import NIOCore

/// A large collection for queries: children with push IDs, ordered by a time that the rules index.
final class BenchItems {
  /// The number of children in one write.
  private static let batchCount = 2_000
  /// The number of unanswered batches.
  private static let inFlight = 4

  static let path = "/items"

  private let socket: BenchSocket
  private let loop: any EventLoop
  private let count: Int
  private var sent = 0
  private var acknowledged = 0

  init(_ socket: BenchSocket, count: Int, loop: any EventLoop) {
    self.socket = socket
    self.count = count
    self.loop = loop
  }

  static func key(_ number: Int) -> String {
    let digits = String(number)
    return "-N" + String(repeating: "0", count: max(0, 18 - digits.utf8.count)) + digits
  }

  /// Returns the time of an item; times are distinct and have another order than the keys.
  static func time(_ number: Int) -> Int { number &* 7_919 % 1_000_003 }

  static func item(_ number: Int) -> String { "{\"ts\":\(time(number)),\"text\":\"message \(number)\"}" }

  /// Writes all items; completes when the last is acknowledged.
  func load() -> EventLoopFuture<Void> {
    let done = loop.makePromise(of: Void.self)
    socket.onClose = { _ in done.fail(BenchSockets.Failure(description: "the server closed the loading socket")) }
    socket.onMessage = { [self] _, message in
      guard case .reply(_, let isOK) = message else { return }
      guard isOK else { return done.fail(BenchSockets.Failure(description: "a batch of items was refused")) }
      acknowledged += Self.batchCount
      if acknowledged >= count { return done.succeed() }
      sendBatch()
    }
    for _ in 0..<Self.inFlight { sendBatch() }
    return done.futureResult
  }

  private func sendBatch() {
    guard sent < count else { return }
    let items = (sent..<min(count, sent + Self.batchCount)).map { "\"\(Self.key($0))\":\(Self.item($0))" }
    sent += Self.batchCount
    socket.send(action: "m", body: "{\"p\":\"\(Self.path)\",\"d\":{\(items.joined(separator: ","))}}")
    socket.flush()
  }
}
