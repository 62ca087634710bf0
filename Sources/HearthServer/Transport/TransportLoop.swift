import Glibc
import NIOCore

/// What one event loop's connections share: a coarse clock, and the sweep that ends connections that are overdue.
///
/// One repeated task a loop does what a timer a connection would: at ten thousand sockets it costs less than a
/// millisecond a second, and nothing while messages flow.
final class TransportLoop: @unchecked Sendable {  // because everything but the constants is touched on `eventLoop` only
  let eventLoop: any EventLoop
  /// Position among the transport's loops.
  let index: Int
  let limits: TransportLimits

  /// Seconds since the loop started, counted by its own task.
  private(set) var now: Int32 = 0
  /// Bytes of request bodies in memory.
  var bodyBytes = 0
  /// Bytes of unfinished socket messages in memory.
  var unfinishedBytes = 0
  /// Set when the server no longer takes requests: connections end with their response.
  private(set) var isShuttingDown = false
  /// Reused by whoever encodes a message on this loop.
  var scratch: [UInt8] = []

  private var connections: [ObjectIdentifier: any TransportConnection] = [:]
  private var task: RepeatedTask?
  private var date: (second: time_t, text: String) = (-1, "")

  init(eventLoop: any EventLoop, index: Int, limits: TransportLimits = .standard) {
    self.eventLoop = eventLoop
    self.index = index
    self.limits = limits
  }

  /// Connections that are open now.
  var connectionCount: Int { connections.count }

  /// Starts the sweep. On the event loop.
  func start() {
    eventLoop.assertInEventLoop()
    task = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak self] _ in
      self?.sweep()
    }
  }

  func add(_ connection: any TransportConnection) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = connection
    if isShuttingDown { connection.shutDown() }
  }

  func remove(_ connection: any TransportConnection) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = nil
  }

  private func sweep() {
    now += 1
    for connection in connections.values { connection.sweep() }
    boundOutbound(limits.outboundBytesPerLoopMax)
  }

  /// Makes room for an answer before it joins what waits for clients. A large one does not wait for the sweep: a few of
  /// them a second would be more memory than the bound.
  func makeRoom(for bytes: Int) {
    guard bytes > limits.outboundBytesFree else { return }
    boundOutbound(max(0, limits.outboundBytesPerLoopMax - bytes))
  }

  /// Gives clients up that take too little of what they are sent, those first for whom most waits.
  private func boundOutbound(_ bytesMax: Int) {
    var (waiting, sum): ([(bytes: Int, connection: any TransportConnection)], Int) = ([], 0)
    for connection in connections.values {
      let bytes = connection.outboundBytes
      guard bytes > 0 else { continue }
      waiting.append((bytes, connection))
      sum += bytes
    }
    guard sum > bytesMax else { return }
    for (bytes, connection) in waiting.sorted(by: { $0.bytes > $1.bytes }) {
      guard sum > bytesMax else { return }
      connection.giveUpOutbound()
      sum -= bytes
    }
  }

  /// Asks every connection to end in good order. On the event loop.
  func shutDown() {
    eventLoop.assertInEventLoop()
    guard !isShuttingDown else { return }
    isShuttingDown = true
    for connection in connections.values { connection.shutDown() }
  }

  /// Ends every connection that is left, and the sweep. On the event loop.
  func stop() {
    eventLoop.assertInEventLoop()
    task?.cancel()
    task = nil
    for connection in connections.values { connection.abort() }
  }

  /// The value of a `Date` header.
  var dateText: String {
    let second = time(nil)
    if second != date.second { date = (second, HTTPDate.text(secondsSinceEpoch: Int(second))) }
    return date.text
  }
}

/// Something that holds a connection open.
protocol TransportConnection: AnyObject {
  /// Once a second: end what is overdue.
  func sweep()
  /// The server is going away: finish and close.
  func shutDown()
  /// Close now.
  func abort()
  /// Bytes that wait for the client to take them.
  var outboundBytes: Int { get }
  /// Close now, because too much waits for this client and others.
  func giveUpOutbound()
}

extension TransportConnection {
  var outboundBytes: Int { 0 }
  func giveUpOutbound() { abort() }
}
