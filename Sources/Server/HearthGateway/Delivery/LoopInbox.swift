import Dispatch
import HearthEngine
import NIOCore
import Synchronization

/// The way of effects to one event loop.
///
/// What is handed over while the loop is still busy with what came before is performed together: each socket then
/// gets it in one write. Databases have turns, so that one with much to tell keeps none of the others waiting for long;
/// and one that has too much waiting is held until the loop has caught up with it.
final class LoopInbox: Sendable {
  private struct Delivery {
    var effects: ArraySlice<LoopEffect>
    /// The bytes that each of the effects brings a recipient.
    var sizes: ArraySlice<Int>
    /// When they were handed over, and when the oldest command came that they are of; 0 when nobody measures.
    var handed: UInt64
    var arrival: UInt64

    /// Moves effects to a turn until it is full. The recipients of an event may have parts of them in several turns.
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
      turn.note(handed: handed, arrival: arrival)
      turn.effects += effects[..<end]
      if let part { turn.effects.append(part) }
      (effects, sizes) = (effects[end...], sizes[end...])
    }
  }

  /// The work of telling effects: their recipients, and the bytes that all of these are sent.
  private struct Load {
    var recipients = 0
    var bytes = 0

    mutating func add(_ count: Int, ofEach size: Int) {
      recipients += count
      bytes += count * size
    }

    mutating func add(_ other: Load) {
      recipients += other.recipients
      bytes += other.bytes
    }

    static func -= (load: inout Load, other: Load) {
      load.recipients -= other.recipients
      load.bytes -= other.bytes
    }

    func isFull(_ limits: DeliveryLimits) -> Bool {
      recipients >= limits.turnRecipientsMax || bytes >= limits.turnBytesMax
    }

    /// The recipients of so many bytes that a turn takes beside this; at least one.
    func room(ofEach size: Int, _ limits: DeliveryLimits) -> Int {
      max(1, min(limits.turnRecipientsMax - recipients, (limits.turnBytesMax - bytes) / max(1, size)))
    }

    /// More waits than a part of what may wait.
    func isOver(_ limits: DeliveryLimits, part: Int = 1) -> Bool {
      recipients > limits.waitingRecipientsMax / part || bytes > limits.waitingBytesMax / part
    }
  }

  /// What waits of one database.
  private struct Line {
    var deliveries = CircularBuffer<Delivery>(initialCapacity: 2)
    var load = Load()
    /// Signalled when there is room again; the database waits for it.
    var rooms: [DispatchSemaphore] = []
  }

  private struct State {
    var lines: [String: Line] = [:]
    /// The databases with something waiting, in the order of their turns.
    var turns = CircularBuffer<String>(initialCapacity: 4)
    var isScheduled = false
    /// The time when the loop looks at it again at the earliest.
    var restsUntil = NIODeadline.uptimeNanoseconds(0)
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

  /// Recipients of effects that wait for the loop. From any thread.
  var waitingRecipientCount: Int { state.withLock { $0.lines.values.reduce(0) { $0 + $1.load.recipients } } }

  /// From a queue of the database, which is held while too much of it waits. Effects of one database come in the order in
  /// which they were handed over.
  ///
  /// - Parameter arrival: when the oldest command came that they are of; 0 when that is not known.
  func hand(_ effects: [LoopEffect], of database: String, arrival: UInt64 = 0) {
    takeIn(effects, of: database, arrival: arrival)?.wait()
  }

  /// The same without being held.
  ///
  /// - Returns: what to wait for before more of the database is handed over; nil when there is room.
  func takeIn(_ effects: [LoopEffect], of database: String, arrival: UInt64 = 0) -> DispatchSemaphore? {
    let handed = meters.now()
    let sizes = effects.map(\.recipientBytes)
    var load = Load()
    for (effect, size) in zip(effects, sizes) { load.add(effect.recipientCount, ofEach: size) }
    let mayWait = !loop.inEventLoop
    let (isFirst, restsUntil, room) = state.withLock { [load] state -> (Bool, NIODeadline, DispatchSemaphore?) in
      var line = state.lines[database] ?? Line()
      if line.deliveries.isEmpty { state.turns.append(database) }
      line.deliveries.append(
        Delivery(
          effects: effects[...], sizes: sizes[...], handed: handed, arrival: arrival))
      line.load.add(load)
      let room = mayWait && line.load.isOver(limits) ? DispatchSemaphore(value: 0) : nil
      if let room { line.rooms.append(room) }
      state.lines[database] = line
      defer { state.isScheduled = true }
      return (!state.isScheduled, state.restsUntil, room)
    }
    if isFirst { schedule(notBefore: restsUntil) }
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

  /// What `work` makes of the hub, on the loop; nil when the loop has ended.
  func ask<Answer: Sendable>(_ work: @escaping @Sendable (LoopHub) -> Answer) async -> Answer? {
    try? await loop.submit { work(self.hub.value) }.get()
  }

  /// The hub, for a caller on this loop.
  var hubOnLoop: LoopHub { hub.value }

  /// One turn of each database that has something waiting.
  private func perform() {
    let hub = hub.value
    let began = NIODeadline.now()
    let (turns, hasMore) = takeTurns()
    for turn in turns {
      hub.perform(turn.effects, of: turn.database)
      hub.flush()
      meters.delivered(at: meters.now(), handed: turn.handed, arrival: turn.arrival)
    }
    hub.followCancellations()
    hub.resumePaused()
    // What came meanwhile is told with what the sockets bring next.
    let restsUntil = limits.rest(after: began, .now(), hasMore: hasMore)
    let isDone = state.withLock { state in
      state.restsUntil = restsUntil
      state.isScheduled = !state.turns.isEmpty
      return state.turns.isEmpty
    }
    if !isDone { schedule(notBefore: restsUntil) }
  }

  private struct Turn {
    let database: String
    var effects: [LoopEffect] = []
    var load = Load()
    /// Of the oldest of its deliveries.
    private(set) var handed: UInt64 = 0
    private(set) var arrival: UInt64 = 0

    init(database: String) { self.database = database }

    mutating func note(handed: UInt64, arrival: UInt64) {
      if self.handed == 0 { self.handed = handed }
      if arrival > 0, self.arrival == 0 || arrival < self.arrival { self.arrival = arrival }
    }
  }

  /// - Returns: what each database tells next, and whether some has more than that.
  private func takeTurns() -> ([Turn], hasMore: Bool) {
    var (turns, rooms, hasMore) = state.withLock { state -> ([Turn], [DispatchSemaphore], Bool) in
      var (turns, rooms): ([Turn], [DispatchSemaphore]) = ([], [])
      for _ in 0..<state.turns.count {
        guard let database = state.turns.popFirst(), var line = state.lines.removeValue(forKey: database) else {
          continue
        }
        turns.append(take(from: &line, of: database))
        if !line.load.isOver(limits, part: 2) {
          rooms += line.rooms
          line.rooms = []
        }
        guard !line.deliveries.isEmpty else { continue }
        state.turns.append(database)
        state.lines[database] = line
      }
      return (turns, rooms, !state.turns.isEmpty)
    }
    for room in rooms { room.signal() }
    // Who has little to tell waits for nobody who has much.
    if turns.count > 1 { turns.sort { ($0.load.bytes, $0.load.recipients) < ($1.load.bytes, $1.load.recipients) } }
    return (turns, hasMore)
  }

  private func take(from line: inout Line, of database: String) -> Turn {
    var turn = Turn(database: database)
    while !turn.load.isFull(limits), var delivery = line.deliveries.popFirst() {
      delivery.move(to: &turn, limits)
      if !delivery.effects.isEmpty { line.deliveries.prepend(delivery) }
    }
    line.load -= turn.load
    return turn
  }
}

extension LoopEffect {
  /// The connections that it reaches.
  fileprivate var recipientCount: Int {
    switch self {
    case .effect(.event(_, let recipients)): recipients.count
    case .effect(.queryEvent(_, let recipients)): recipients.count
    case .cancel(let redecision, _), .effect(.redecided(let redecision)): redecision.cancelled.count
    case .effect(.reply), .effect(.authenticationEnded), .effect(.denied): 1
    }
  }

  /// The bytes of JSON that it brings each of them. What is larger than ``LargeValuePool/loopBytesMax`` counts as that: its
  /// text is made elsewhere, once for all recipients, so that it is not told in parts.
  fileprivate var recipientBytes: Int {
    let max = LargeValuePool.loopBytesMax
    switch self {
    case .effect(.event(let event, _)), .effect(.queryEvent(let event, _)): return event.change.bytes(max: max)
    case .effect(.reply(_, _, .value(let node))): return JSONSize.bytes(of: node, max: max)
    case .effect(.reply), .effect(.redecided), .effect(.authenticationEnded), .effect(.denied), .cancel: return 0
    }
  }

  /// The event for its first recipients and for the others; nil for what is told as a whole.
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
    case .effect(.reply), .effect(.redecided), .effect(.authenticationEnded), .effect(.denied), .cancel: nil
    }
  }
}
