import Dispatch
import HearthSystem
import HearthTree
import Synchronization

/// Where connections live for which memory is held.
package protocol MemoryPlace: AnyObject, Sendable {
  /// Too much is held for clients, and this connection is the one to go. From any thread.
  func giveUp(_ id: ClientMemory.Table.ID)
}

/// What all clients together make the server hold, over all event loops, and its bound.
///
/// Connections tell of what is held for them in steps of some kilobytes, so that nothing is locked for a small message.
/// When it is too much, those are given up for whom most is held and who bring or take it slowest: never the one that
/// came last.
package final class ClientMemory: Sendable {
  /// What is held for whom; ``ClientMemory`` is its lock.
  package typealias Table = HolderTable<any MemoryPlace>

  private struct State {
    var table: Table
    /// The last name that a connection or a text was given.
    var lastID: UInt64 = 0
    /// The most that was held since memory was given back.
    var peakBytes = 0
    var isReturning = false
  }

  /// The bounds, with their reasons.
  package let limits: MemoryLimits
  /// A body of more than this has no room without a credential, whoever else is there.
  let anonymousBytesMax: Int
  private let clock: @Sendable () -> Int64
  private let giveBack: @Sendable (_ delaySeconds: Int, _ done: @escaping @Sendable () -> Void) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - memoryBytes: what the process may use; 0 when that is not known.
  ///   - clock: milliseconds on the monotonic clock.
  ///   - giveBack: has freed memory given back to the machine away from event loops, and says when it may be done again.
  package init(
    memoryBytes: Int, limits: MemoryLimits = .standard,
    clock: @escaping @Sendable () -> Int64 = { Clock.monotonicMilliseconds },
    giveBack: @escaping @Sendable (_ delaySeconds: Int, _ done: @escaping @Sendable () -> Void) -> Void = { _, _ in }
  ) {
    self.limits = limits
    self.clock = clock
    self.giveBack = giveBack
    anonymousBytesMax = limits.anonymousBytesMax(memoryBytes: memoryBytes)
    let table = Table(
      heldBytesMax: limits.heldBytesMax(memoryBytes: memoryBytes), anonymousBytesMax: anonymousBytesMax, limits: limits)
    state = Mutex(State(table: table))
  }

  /// Bytes that are held for clients now, as far as they count.
  package var heldBytes: Int { state.withLock { $0.table.heldBytes } }
  /// Connections for which something is held that counts.
  var holderCount: Int { state.withLock { $0.table.holderCount } }

  // MARK: Connections

  /// A connection begins to count. Its place is told when it has to go.
  ///
  /// - Parameters:
  ///   - network: of the client; nil where that is not known.
  ///   - movedBytes: what it has brought and taken before.
  func add(at place: any MemoryPlace, from network: NetworkPrefix?, movedBytes: Int) -> Table.ID {
    state.withLock { state in
      state.lastID += 1
      state.table.add(
        state.lastID, at: place, from: network, movedBytes: movedBytes, milliseconds: clock())
      return state.lastID
    }
  }

  func update(_ id: Table.ID, _ claim: Table.Claim) {
    change { table, milliseconds in table.update(id, claim, milliseconds: milliseconds) }
  }

  /// The connection holds nothing any more.
  func remove(_ id: Table.ID) { change { table, _ in table.remove(id) } }

  /// Whether a body of that size may be worked on beside those that are. Nobody who is worked for is given up, so they
  /// may take a half of the room together, or else the others would have to go for them; one alone always may.
  func mayWork(on bytes: Int) -> Bool {
    state.withLock { $0.table.fixedBytes == 0 || $0.table.fixedBytes + bytes <= $0.table.heldBytesMax / 2 }
  }

  // MARK: Large texts

  /// Counts a large text for as long as somebody keeps what is returned.
  ///
  /// - Parameter made: the text itself, for others who want the same.
  package func text(bytes: Int, made: (any AnyObject & Sendable)? = nil) -> SharedText {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    change { table, _ in table.add(text: id, bytes: bytes) }
    return SharedText(self, id: id, sizeBytes: bytes, made: made)
  }

  /// Nobody keeps the text any more.
  func remove(text: Table.ID) { change { table, _ in table.remove(text: text) } }
  /// The text waits for that connection, once more.
  func hold(_ text: Table.ID, by id: Table.ID) { change { table, _ in table.hold(text, by: id) } }
  /// The text waits for that connection once less.
  func letGo(_ text: Table.ID, by id: Table.ID) { change { table, _ in table.letGo(text, by: id) } }

  // MARK: Both

  private func change(_ body: (inout Table, Int64) -> Void) {
    let now = clock()
    let (victims, returns) = state.withLock { state in
      body(&state.table, now)
      return (state.table.takeVictims(milliseconds: now), beginsReturn(&state))
    }
    for victim in victims { victim.place.giveUp(victim.id) }
    if returns { returnMemory() }
  }

  /// A burst is over: much less is held than was.
  private func beginsReturn(_ state: inout State) -> Bool {
    state.peakBytes = max(state.peakBytes, state.table.heldBytes)
    guard !state.isReturning, state.peakBytes - state.table.heldBytes >= limits.givenBackBytesMin else { return false }
    state.isReturning = true
    return true
  }

  private func returnMemory() {
    giveBack(limits.givenBackSeconds) {
      self.state.withLock { state in
        state.isReturning = false
        state.peakBytes = state.table.heldBytes
      }
    }
  }

  /// A part of this machine's memory, or of what the process may use of it.
  package static func ofThisMachine() -> ClientMemory {
    ClientMemory(
      memoryBytes: Machine.current.memoryBytes,
      giveBack: { delaySeconds, done in
        // Later, when the last of those who leave have left.
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(delaySeconds)) {
          done()
          Allocator.giveBack()
        }
      })
  }
}
