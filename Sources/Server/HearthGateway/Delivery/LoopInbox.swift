import Dispatch
import HearthEngine
import NIOCore
import Synchronization

/// The queue of effects for one event loop.
///
/// Effects that arrive while the loop is still delivering earlier ones are performed together: each socket then gets
/// them in one write. Databases take turns, so that one with many effects does not delay the others for long; and a
/// database with too many waiting is blocked until the loop has caught up with it.
///
/// Within a database, effects for many recipients wait in a lane of their own, with the later effects for the same
/// connections: the answers to other clients do not wait for them. Each connection gets its effects in order.
final class LoopInbox: Sendable {
  private struct Delivery {
    var effects: ArraySlice<LoopEffect>
    /// The bytes for a recipient of each of the effects.
    var sizes: ArraySlice<Int>
    /// The times at which they were queued, and the oldest command with these effects arrived; 0 when metrics are off.
    var queuedAt: UInt64
    var arrival: UInt64
    /// For a delivery of the bulk lane, the number of the prompt delivery that it follows.
    var follows = 0

    /// The same without effects.
    var emptied: Delivery { Delivery(effects: [], sizes: [], queuedAt: queuedAt, arrival: arrival) }

    mutating func append(_ effect: LoopEffect, _ size: Int) {
      effects.append(effect)
      sizes.append(size)
    }

    /// Moves effects to a turn until it is full. The recipients of an event may be split over several turns.
    mutating func move(to turn: inout Turn, _ limits: DeliveryLimits) {
      var end = effects.startIndex
      var part: LoopEffect?
      while end < effects.endIndex, !turn.load.isFull(limits) {
        let (effect, bytes) = (effects[end], sizes[end])
        let room = turn.load.room(ofEach: bytes, limits)
        if effect.recipientCount > room, bytes < LargeValuePool.loopBytesMax, let parts = effect.split(at: room) {
          part = parts.first
          effects[end] = parts.rest
          turn.load.add(room, ofEach: bytes)
          break
        }
        turn.load.add(effect.recipientCount, ofEach: bytes)
        end += 1
      }
      turn.note(queuedAt: queuedAt, arrival: arrival)
      turn.effects += effects[..<end]
      if let part { turn.effects.append(part) }
      (effects, sizes) = (effects[end...], sizes[end...])
    }
  }

  /// The size of a delivery: the recipients, and the bytes for all of them.
  private struct Load {
    var recipients = 0
    var bytes = 0

    mutating func add(_ count: Int, ofEach size: Int) {
      recipients += count
      bytes += count * size
    }

    static func -= (load: inout Load, other: Load) {
      load.recipients -= other.recipients
      load.bytes -= other.bytes
    }

    func isFull(_ limits: DeliveryLimits) -> Bool {
      recipients >= limits.turnRecipientsMax || bytes >= limits.turnBytesMax
    }

    /// Returns the number of recipients of so many bytes that still fit into a turn; at least one.
    func room(ofEach size: Int, _ limits: DeliveryLimits) -> Int {
      max(1, min(limits.turnRecipientsMax - recipients, (limits.turnBytesMax - bytes) / max(1, size)))
    }

    /// Returns true when more waits than a part of the maximum.
    func isOver(_ limits: DeliveryLimits, part: Int = 1) -> Bool {
      recipients > limits.waitingRecipientsMax / part || bytes > limits.waitingBytesMax / part
    }
  }

  /// The waiting effects of one database.
  private struct WaitingEffects {
    /// The effects for few recipients, of connections with nothing in ``bulk``.
    var prompt = CircularBuffer<Delivery>(initialCapacity: 2)
    /// The other effects.
    var bulk = CircularBuffer<Delivery>()
    /// The numbers of deliveries that were added to ``prompt``, and that were removed from it.
    var (promptAdded, promptTaken) = (0, 0)
    var promptLoad = Load()
    /// The bytes count once for each effect: recipients share them.
    var bulkLoad = Load()
    /// The semaphores of a blocked database, signalled when there is room again.
    var roomSemaphores: [DispatchSemaphore] = []

    var recipientCount: Int { promptLoad.recipients + bulkLoad.recipients }

    var isEmpty: Bool { prompt.isEmpty && bulk.isEmpty }

    /// Returns true when more waits than a part of the maximum.
    func isOver(_ limits: DeliveryLimits, part: Int = 1) -> Bool {
      promptLoad.isOver(limits, part: part) || bulkLoad.isOver(limits, part: part)
    }

    /// Adds effects to their lanes.
    mutating func append(_ delivery: Delivery, _ marks: inout BulkMarks, _ limits: DeliveryLimits) {
      var (prompt, bulk) = (delivery, delivery.emptied)
      if !marks.isEmpty || zip(delivery.effects, delivery.sizes).contains(where: { $0.isBulk($1, limits) }) {
        prompt = delivery.emptied
        for (effect, size) in zip(delivery.effects, delivery.sizes) {
          guard effect.isBulk(size, limits) || marks.contains(effect) else {
            prompt.append(effect, size)
            continue
          }
          marks.add(effect, 1)
          bulkLoad.recipients += effect.recipientCount
          bulkLoad.bytes += size
          bulk.append(effect, size)
        }
      }
      for (effect, size) in zip(prompt.effects, prompt.sizes) { promptLoad.add(effect.recipientCount, ofEach: size) }
      if !prompt.effects.isEmpty {
        self.prompt.append(prompt)
        promptAdded += 1
      }
      if !bulk.effects.isEmpty {
        bulk.follows = promptAdded
        self.bulk.append(bulk)
      }
    }

    /// Returns the next effects of each lane, as many as a turn takes.
    mutating func take(of database: String, _ marks: inout BulkMarks, _ limits: DeliveryLimits) -> [Turn] {
      var turn = Turn(database: database)
      while !turn.load.isFull(limits), var delivery = prompt.popFirst() {
        delivery.move(to: &turn, limits)
        if delivery.effects.isEmpty { promptTaken += 1 } else { prompt.prepend(delivery) }
      }
      promptLoad -= turn.load
      guard !bulk.isEmpty else { return [turn] }
      var bulkTurn = Turn(database: database, isBulk: true)
      while !bulkTurn.load.isFull(limits), var delivery = bulk.first, delivery.follows <= promptTaken {
        bulk.removeFirst()
        let sizes = delivery.sizes
        delivery.move(to: &bulkTurn, limits)
        bulkLoad.bytes -= sizes.prefix(sizes.count - delivery.sizes.count).reduce(0, +)
        if !delivery.effects.isEmpty { bulk.prepend(delivery) }
      }
      for effect in bulkTurn.effects { marks.add(effect, -1) }
      bulkLoad.recipients -= bulkTurn.load.recipients
      return [turn, bulkTurn].filter { !$0.effects.isEmpty }
    }
  }

  /// The numbers of effects in bulk lanes, by the rows of their connections.
  private struct BulkMarks {
    private var counts: [Int32] = []
    private var total = 0

    var isEmpty: Bool { total == 0 }

    func contains(_ effect: LoopEffect) -> Bool {
      guard !isEmpty else { return false }
      var isFound = false
      effect.forEachConnection { id in
        if id.row < counts.count, counts[id.row] > 0 { isFound = true }
      }
      return isFound
    }

    mutating func add(_ effect: LoopEffect, _ change: Int32) {
      effect.forEachConnection { id in
        if id.row >= counts.count { counts += Array(repeating: 0, count: id.row + 1 - counts.count) }
        counts[id.row] += change
        total += Int(change)
      }
    }
  }

  private struct State {
    var waiting: [String: WaitingEffects] = [:]
    var marks = BulkMarks()
    /// The databases with waiting effects, in the order of their turns.
    var turns = CircularBuffer<String>(initialCapacity: 4)
    var isScheduled = false
    /// The earliest time of the loop's next delivery.
    var pausedUntil = NIODeadline.uptimeNanoseconds(0)
  }

  private let loop: any EventLoop
  private let hub: NIOLoopBound<LoopHub>
  private let limits: DeliveryLimits
  private let meters: GatewayMeters
  private let state = Mutex(State())

  init(
    loop: any EventLoop, hub: NIOLoopBound<LoopHub>, limits: DeliveryLimits = .standard, meters: GatewayMeters = .none
  ) {
    self.loop = loop
    self.hub = hub
    self.limits = limits
    self.meters = meters
  }

  /// The number of recipients of effects that wait for the loop. Thread-safe.
  var waitingRecipientCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.recipientCount } } }

  /// Returns the number of recipients of a database's effects that wait for the loop. Thread-safe.
  func waitingRecipientCount(of database: String) -> Int {
    state.withLock { $0.waiting[database]?.recipientCount ?? 0 }
  }

  /// Queues effects. Called on a queue of the database. Effects of one connection keep their order.
  ///
  /// - Parameter arrival: the time of the oldest command with these effects; 0 when that is not known.
  /// - Returns: a semaphore to wait for before more of the database is queued; nil when there is room.
  func enqueueWithoutBlocking(_ effects: [LoopEffect], of database: String, arrival: UInt64 = 0) -> DispatchSemaphore? {
    let queuedAt = meters.now()
    let sizes = effects.map(\.recipientBytes)
    let mayWait = !loop.inEventLoop
    let (isFirst, pausedUntil, room) = state.withLock { state -> (Bool, NIODeadline, DispatchSemaphore?) in
      var queue = state.waiting[database] ?? WaitingEffects()
      if queue.isEmpty { state.turns.append(database) }
      queue.append(
        Delivery(effects: effects[...], sizes: sizes[...], queuedAt: queuedAt, arrival: arrival), &state.marks, limits)
      let room = mayWait && queue.isOver(limits) ? DispatchSemaphore(value: 0) : nil
      if let room { queue.roomSemaphores.append(room) }
      state.waiting[database] = queue
      defer { state.isScheduled = true }
      return (!state.isScheduled, state.pausedUntil, room)
    }
    if isFirst { schedule(notBefore: pausedUntil) }
    return room
  }

  private func schedule(notBefore time: NIODeadline) {
    if time <= .now() {
      loop.execute { self.perform() }
    } else {
      loop.scheduleTask(deadline: time) { self.perform() }
    }
  }

  /// Runs `work` on the loop, with its hub.
  func execute(_ work: @escaping @Sendable (LoopHub) -> Void) {
    loop.execute { work(self.hub.value) }
  }

  /// Returns the result of `work` with the hub, on the loop; nil when the loop has ended.
  func ask<Answer: Sendable>(_ work: @escaping @Sendable (LoopHub) -> Answer) async -> Answer? {
    try? await loop.submit { work(self.hub.value) }.get()
  }

  /// The hub, for a caller on this loop.
  var hubOnLoop: LoopHub { hub.value }

  /// Performs one turn of each database with waiting effects.
  private func perform() {
    let hub = hub.value
    let began = NIODeadline.now()
    let (turns, hasMore) = takeTurns()
    for turn in turns {
      hub.perform(turn.effects, of: turn.database)
      hub.flush()
      meters.delivered(at: meters.now(), queuedAt: turn.queuedAt, arrival: turn.arrival)
    }
    hub.trackCancellations()
    hub.resumePaused()
    // Effects that arrived meanwhile are delivered together with the results of the sockets' next input.
    let pausedUntil = limits.pauseEnd(after: began, .now(), hasMore: hasMore)
    let isDone = state.withLock { state in
      state.pausedUntil = pausedUntil
      state.isScheduled = !state.turns.isEmpty
      return state.turns.isEmpty
    }
    if !isDone { schedule(notBefore: pausedUntil) }
  }

  private struct Turn {
    let database: String
    let isBulk: Bool
    var effects: [LoopEffect] = []
    var load = Load()
    /// The time at which the oldest of its deliveries was queued.
    private(set) var queuedAt: UInt64 = 0
    private(set) var arrival: UInt64 = 0

    init(database: String, isBulk: Bool = false) { (self.database, self.isBulk) = (database, isBulk) }

    /// The order in which turns are performed: short ones do not wait for long ones, nor prompt ones for bulk.
    var rank: (Int, Int, Int) { (isBulk ? 1 : 0, load.bytes, load.recipients) }

    mutating func note(queuedAt: UInt64, arrival: UInt64) {
      if self.queuedAt == 0 { self.queuedAt = queuedAt }
      if arrival > 0, self.arrival == 0 || arrival < self.arrival { self.arrival = arrival }
    }
  }

  /// Removes the next turn of each database from the queue.
  ///
  /// - Returns: the turns, and true when there are more effects.
  private func takeTurns() -> ([Turn], hasMore: Bool) {
    var (turns, roomSemaphores, hasMore) = state.withLock { state -> ([Turn], [DispatchSemaphore], Bool) in
      var (turns, roomSemaphores): ([Turn], [DispatchSemaphore]) = ([], [])
      for _ in 0..<state.turns.count {
        guard let database = state.turns.popFirst(), var queue = state.waiting.removeValue(forKey: database) else {
          continue
        }
        turns += queue.take(of: database, &state.marks, limits)
        if !queue.isOver(limits, part: 2) {
          roomSemaphores += queue.roomSemaphores
          queue.roomSemaphores = []
        }
        guard !queue.isEmpty else { continue }
        state.turns.append(database)
        state.waiting[database] = queue
      }
      return (turns, roomSemaphores, !state.turns.isEmpty)
    }
    for room in roomSemaphores { room.signal() }
    if turns.count > 1 { turns.sort { $0.rank < $1.rank } }
    return (turns, hasMore)
  }
}

extension LoopEffect {
  /// Returns true when it is sent to many recipients, or has many bytes for all of them together.
  fileprivate func isBulk(_ recipientBytes: Int, _ limits: DeliveryLimits) -> Bool {
    if case .bulkReply = self { return true }
    let count = recipientCount
    return count >= limits.bulkRecipientsMin || count * recipientBytes >= limits.bulkBytesMin
  }

  /// Calls `body` with each connection that it reaches.
  fileprivate func forEachConnection(_ body: (ConnectionID) -> Void) {
    switch self {
    case .effect(.event(_, let recipients)): recipients.forEach(body)
    case .effect(.queryEvent(_, let recipients)): for recipient in recipients { body(recipient.connection) }
    case .cancel(let redecision, _), .effect(.redecided(let redecision)):
      for cancelled in redecision.cancelled { body(cancelled.connection) }
    case .effect(.reply(let id, _, _)), .bulkReply(let id, _, _), .effect(.authenticationEnded(let id)):
      // One-off requests have no order.
      if id.isClients { body(id) }
    case .effect(.denied(let denial)): if denial.connection.isClients { body(denial.connection) }
    }
  }

  /// The number of connections that it reaches.
  fileprivate var recipientCount: Int {
    switch self {
    case .effect(.event(_, let recipients)): recipients.count
    case .effect(.queryEvent(_, let recipients)): recipients.count
    case .cancel(let redecision, _), .effect(.redecided(let redecision)): redecision.cancelled.count
    case .effect(.reply), .bulkReply, .effect(.authenticationEnded), .effect(.denied): 1
    }
  }

  /// The approximate bytes of JSON for each recipient. Larger values count as ``LargeValuePool/loopBytesMax``: their text is made
  /// elsewhere, once for all recipients, so that it is not delivered in parts.
  fileprivate var recipientBytes: Int {
    let max = LargeValuePool.loopBytesMax
    switch self {
    case .effect(.event(let event, _)), .effect(.queryEvent(let event, _)): return event.change.bytes(max: max)
    case .effect(.reply(_, _, .value(let node))), .bulkReply(_, _, .value(let node)):
      return min(max, node.heldBytes(upTo: max))
    case .effect(.reply), .bulkReply, .effect(.redecided), .effect(.authenticationEnded), .effect(.denied), .cancel:
      return 0
    }
  }

  /// Returns the event for its first recipients and for the others; nil for an effect that cannot be split.
  fileprivate func split(at count: Int) -> (first: LoopEffect, rest: LoopEffect)? {
    switch self {
    case .effect(.event(let event, let recipients)):
      (
        .effect(.event(event, to: Array(recipients[..<count]))),
        .effect(.event(event, to: Array(recipients[count...])))
      )
    case .effect(.queryEvent(let event, let recipients)):
      (
        .effect(.queryEvent(event, to: Array(recipients[..<count]))),
        .effect(.queryEvent(event, to: Array(recipients[count...])))
      )
    case .effect(.reply), .bulkReply, .effect(.redecided), .effect(.authenticationEnded), .effect(.denied), .cancel:
      nil
    }
  }
}
