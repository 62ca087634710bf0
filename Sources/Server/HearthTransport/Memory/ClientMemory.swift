import Dispatch
import HearthSystem
import HearthTree
import Synchronization

/// The event loop of connections for which memory is held.
package protocol ConnectionCloser: AnyObject, Sendable {
  /// Makes this connection close because too much memory is held for clients. Thread-safe.
  func giveUp(_ id: ClientMemory.Table.ID)
}

/// The memory that the server holds for all clients together, over all event loops, and its limit.
///
/// Connections report in steps of some kilobytes, so that no small message takes a lock. When the limit is exceeded,
/// the connections with the most memory and the slowest transfer are closed: never just the newest one.
package final class ClientMemory: Sendable {
  /// The table of memory by connection; ``ClientMemory`` is its lock.
  package typealias Table = ClientMemoryTable<any ConnectionCloser>

  private struct State {
    var table: Table
    /// The last id of a connection or a text.
    var lastID: UInt64 = 0
    /// The most memory that was held since memory was returned to the system.
    var peakBytes = 0
    var isReturning = false
  }

  /// The limits, with their reasons.
  package let limits: MemoryLimits
  /// The size in bytes from which a body without a credential never fits, even alone.
  let anonymousBytesMax: Int
  private let clock: @Sendable () -> Int64
  private let returnToSystem: @Sendable (_ delaySeconds: Int, _ done: @escaping @Sendable () -> Void) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - memoryBytes: the memory that the process may use; 0 when that is not known.
  ///   - clock: milliseconds on the monotonic clock.
  ///   - returnToSystem: returns freed memory to the system away from event loops, and calls back when it may be called
  ///     again.
  package init(
    memoryBytes: Int, limits: MemoryLimits = .standard,
    clock: @escaping @Sendable () -> Int64 = { Clock.monotonicMilliseconds },
    returnToSystem: @escaping @Sendable (_ delaySeconds: Int, _ done: @escaping @Sendable () -> Void) -> Void = {
      _, _ in
    }
  ) {
    self.limits = limits
    self.clock = clock
    self.returnToSystem = returnToSystem
    anonymousBytesMax = limits.anonymousBytesMax(memoryBytes: memoryBytes)
    let table = Table(
      heldBytesMax: limits.heldBytesMax(memoryBytes: memoryBytes), anonymousBytesMax: anonymousBytesMax, limits: limits)
    state = Mutex(State(table: table))
  }

  /// The counted memory that is held for clients now, in bytes.
  package var heldBytes: Int { state.withLock { $0.table.heldBytes } }
  /// The number of connections with counted memory.
  var holderCount: Int { state.withLock { $0.table.holderCount } }

  // MARK: Connections

  /// Adds a connection. Its event loop is notified when it has to close.
  ///
  /// - Parameters:
  ///   - network: the client's network; nil when it is not known.
  ///   - movedBytes: the bytes that it has transferred before.
  func add(at closer: any ConnectionCloser, from network: NetworkPrefix?, movedBytes: Int) -> Table.ID {
    state.withLock { state in
      state.lastID += 1
      state.table.add(
        state.lastID, at: closer, from: network, movedBytes: movedBytes, milliseconds: clock())
      return state.lastID
    }
  }

  func update(_ id: Table.ID, _ report: Table.MemoryReport) {
    change { table, milliseconds in table.update(id, report, milliseconds: milliseconds) }
  }

  /// Removes a connection that holds no memory any more.
  func remove(_ id: Table.ID) { change { table, _ in table.remove(id) } }

  /// Returns true when a body of that size may be processed beside those in progress. Requests in progress are never
  /// closed, so they may take half of the limit together, or else the others would have to close for them; a single one
  /// is always allowed.
  func mayWork(on bytes: Int) -> Bool {
    state.withLock { $0.table.processedBytes == 0 || $0.table.processedBytes + bytes <= $0.table.heldBytesMax / 2 }
  }

  // MARK: Large texts

  /// Counts a large text for as long as the result is referenced.
  ///
  /// - Parameter made: the text itself, for other connections that need the same.
  package func text(bytes: Int, made: (any AnyObject & Sendable)? = nil) -> SharedText {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    change { table, _ in table.add(text: id, bytes: bytes) }
    return SharedText(self, id: id, sizeBytes: bytes, made: made)
  }

  /// Removes a text that is no longer referenced.
  func remove(text: Table.ID) { change { table, _ in table.remove(text: text) } }
  /// Adds one use of the text by the given connection.
  func hold(_ text: Table.ID, by id: Table.ID) { change { table, _ in table.hold(text, by: id) } }
  /// Removes one use of the text by the given connection.
  func release(_ text: Table.ID, by id: Table.ID) { change { table, _ in table.release(text, by: id) } }

  // MARK: Both

  private func change(_ body: (inout Table, Int64) -> Void) {
    let now = clock()
    let (victims, returns) = state.withLock { state in
      body(&state.table, now)
      return (state.table.takeConnectionsToClose(milliseconds: now), beginsReturn(&state))
    }
    for victim in victims { victim.closer.giveUp(victim.id) }
    if returns { returnMemory() }
  }

  /// Returns true when a burst is over: much less is held than before.
  private func beginsReturn(_ state: inout State) -> Bool {
    state.peakBytes = max(state.peakBytes, state.table.heldBytes)
    guard !state.isReturning, state.peakBytes - state.table.heldBytes >= limits.returnedBytesMin else { return false }
    state.isReturning = true
    return true
  }

  private func returnMemory() {
    returnToSystem(limits.returnDelaySeconds) {
      self.state.withLock { state in
        state.isReturning = false
        state.peakBytes = state.table.heldBytes
      }
    }
  }

  /// Returns a memory whose limit is a share of this machine's, or of the part that the process may use.
  package static func ofThisMachine() -> ClientMemory {
    ClientMemory(
      memoryBytes: Machine.current.memoryBytes,
      returnToSystem: { delaySeconds, done in
        // Later, when the last of the closing connections has ended.
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(delaySeconds)) {
          done()
          Allocator.releaseFreeMemory()
        }
      })
  }
}
