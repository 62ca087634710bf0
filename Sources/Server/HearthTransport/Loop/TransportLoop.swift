import Glibc
import NIOCore

// Unchecked because everything but the constants is touched on `eventLoop` only.
/// What one event loop's connections share: a coarse clock, and the sweep that ends connections that are overdue.
///
/// One repeated task a loop does what a timer a connection would: at ten thousand sockets it costs less than a
/// millisecond a second, and nothing while messages flow.
package final class TransportLoop: MemoryPlace, @unchecked Sendable {
  /// The thread that all of it happens on.
  package let eventLoop: any EventLoop
  /// Position among the transport's loops.
  package let index: Int
  /// Those of each of its connections.
  package let limits: TransportLimits
  /// What the clients of all loops make the server hold.
  package let memory: ClientMemory
  /// Names requests, those of all loops.
  package let requestIDs: RequestIDs
  /// Count what its connections do.
  let meters: TransportMeters

  /// Seconds since the loop started, counted by its own task.
  package private(set) var now: Int32 = 0
  /// Connections for which something is held that counts, by the name that ``memory`` knows them by.
  var holders: [ClientMemory.Table.ID: any TransportConnection] = [:]
  /// Bytes that were written since all connections were last asked what waits for their clients.
  private var unaskedBytes = 0
  /// Set when the server no longer takes requests: connections end with their response.
  package private(set) var isShuttingDown = false
  /// The lines out to this loop's clients.
  package let outlets = OutletTable()
  /// Reused by whoever encodes a message on this loop.
  package var scratch: [UInt8] = []

  /// Those of its connections that have brought more than a turn takes.
  package let turns: TurnLine

  private var connections: [ObjectIdentifier: any TransportConnection] = [:]
  private var task: RepeatedTask?
  /// The time when the last sweep ended; 0 before the first, or when nobody measures.
  private var sweptAt: UInt64 = 0
  private var date: (second: time_t, text: String) = (-1, "")

  /// A loop without connections, whose clock stands until ``start()``.
  package init(
    eventLoop: any EventLoop, index: Int, limits: TransportLimits = .standard, memory: ClientMemory,
    requestIDs: RequestIDs = RequestIDs(), meters: TransportMeters = .none
  ) {
    self.eventLoop = eventLoop
    self.index = index
    self.limits = limits
    self.memory = memory
    self.requestIDs = requestIDs
    self.meters = meters
    turns = TurnLine(eventLoop: eventLoop, limits: limits)
  }

  /// Connections that are open now.
  package var connectionCount: Int { connections.count }

  /// Starts the sweep. On the event loop.
  package func start() {
    eventLoop.assertInEventLoop()
    task = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak self] _ in
      self?.sweep()
    }
  }

  /// From now on the connection is looked after: swept every second, and told of the shutdown. On the event loop.
  package func add(_ connection: any TransportConnection) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = connection
    if isShuttingDown { connection.shutDown() }
  }

  /// The connection is over. On the event loop; nothing happens when it is not there.
  package func remove(_ connection: any TransportConnection) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = nil
  }

  private func sweep() {
    let began = meters.now()
    // It is due a second after the last one.
    if sweptAt > 0 { meters.late(byNanoseconds: began > sweptAt + 1_000_000_000 ? began - sweptAt - 1_000_000_000 : 0) }
    defer { sweptAt = meters.now() }
    now += 1
    outlets.now = now
    for connection in connections.values { connection.sweep() }
    countOutbound()
    outlets.flush()
  }

  /// Bytes were written to some connection: what waits for clients is counted every second, and sooner when much is
  /// written.
  func wrote(_ bytes: Int) {
    unaskedBytes &+= bytes
    if unaskedBytes > limits.outboundBytesUncounted { countOutbound() }
  }

  private func countOutbound() {
    unaskedBytes = 0
    for connection in connections.values { connection.countOutbound() }
  }

  /// Too much is held for clients, and this connection is the one to go. From any thread.
  package func giveUp(_ id: ClientMemory.Table.ID) {
    // Not at once: the connection, or another, may be in the middle of something.
    eventLoop.execute { self.holders[id]?.giveUpMemory() }
  }

  /// Asks every connection to end in good order. On the event loop.
  package func shutDown() {
    eventLoop.assertInEventLoop()
    guard !isShuttingDown else { return }
    isShuttingDown = true
    for connection in connections.values { connection.shutDown() }
  }

  /// Ends every connection that is left, and the sweep. On the event loop.
  package func stop() {
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
