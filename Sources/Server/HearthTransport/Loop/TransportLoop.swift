import Glibc
import NIOCore

// Unchecked because all members but the constants are used on `eventLoop` only.
/// The shared state of one event loop's connections: a coarse clock, and the sweep that ends overdue connections.
///
/// One repeated task for each loop replaces a timer for each connection: at ten thousand sockets it takes less than a
/// millisecond a second, and no time while messages flow. The conformance is unchecked, because the state is used on that
/// event loop alone.
package final class TransportLoop: ConnectionCloser, @unchecked Sendable {
  /// The event loop that all of it runs on.
  package let eventLoop: any EventLoop
  /// The index among the transport's loops.
  package let index: Int
  /// The limits of each of its connections.
  package let limits: TransportLimits
  /// The memory that is held for the clients of all loops.
  package let memory: ClientMemory
  /// The generator of request ids, shared by all loops.
  package let requestIDs: RequestIDs
  /// The metrics of its connections.
  let meters: TransportMeters

  /// The seconds since the loop started, counted by its own task.
  package private(set) var now: Int32 = 0
  /// The connections with counted memory, by their ids in ``memory``.
  var holders: [ClientMemory.Table.ID: any TransportConnection] = [:]
  /// The bytes that were written since the waiting output was last counted.
  private var uncountedBytes = 0
  /// True when the server takes no more requests: connections end with their response.
  package private(set) var isShuttingDown = false
  /// The outlets of this loop's clients.
  package let outlets = OutletTable()
  /// A buffer that is reused for encoding messages on this loop.
  package var scratch: [UInt8] = []

  /// The queue of connections that have received more than a turn handles.
  package let turns: RoundRobinQueue

  private var connections: [ObjectIdentifier: any TransportConnection] = [:]
  private var task: RepeatedTask?
  /// The time of the last sweep; 0 before the first, or when metrics are off.
  private var sweptAt: UInt64 = 0
  private var date: (second: time_t, text: String) = (-1, "")

  /// Creates a loop without connections, whose clock stands still until ``start()``.
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
    turns = RoundRobinQueue(eventLoop: eventLoop, limits: limits)
  }

  /// The number of open connections.
  package var connectionCount: Int { connections.count }

  /// Starts the sweep. To be called on the event loop.
  package func start() {
    eventLoop.assertInEventLoop()
    task = eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak self] _ in
      self?.sweep()
    }
  }

  /// Adds a connection: it is swept every second, and notified of the shutdown. To be called on the event loop.
  package func add(_ connection: any TransportConnection) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = connection
    if isShuttingDown { connection.shutDown() }
  }

  /// Removes a connection that has ended; ignored when it is not there. To be called on the event loop.
  package func remove(_ connection: any TransportConnection) {
    eventLoop.assertInEventLoop()
    connections[ObjectIdentifier(connection)] = nil
  }

  private func sweep() {
    let began = meters.now()
    // The sweep is due a second after the last one.
    if sweptAt > 0 { meters.late(byNanoseconds: began > sweptAt + 1_000_000_000 ? began - sweptAt - 1_000_000_000 : 0) }
    defer { sweptAt = meters.now() }
    now += 1
    outlets.now = now
    for connection in connections.values { connection.sweep() }
    countOutbound()
    outlets.flush()
  }

  /// Records bytes that were written to a connection: waiting output is counted every second, and sooner when much is
  /// written.
  func wrote(_ bytes: Int) {
    uncountedBytes &+= bytes
    if uncountedBytes > limits.outboundBytesUncounted { countOutbound() }
  }

  private func countOutbound() {
    uncountedBytes = 0
    for connection in connections.values { connection.countOutbound() }
  }

  /// Makes a connection close because too much memory is held for clients. Thread-safe.
  package func giveUp(_ id: ClientMemory.Table.ID) {
    // Not closed at once: this connection, or another, may be in the middle of a call.
    eventLoop.execute { self.holders[id]?.giveUpMemory() }
  }

  /// Asks every connection to finish and close. To be called on the event loop.
  package func shutDown() {
    eventLoop.assertInEventLoop()
    guard !isShuttingDown else { return }
    isShuttingDown = true
    for connection in connections.values { connection.shutDown() }
  }

  /// Aborts the remaining connections, and ends the sweep. To be called on the event loop.
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
