/// The deliveries of one trigger: a state machine that selects the next events and handles outcomes. The caller passes
/// the time; the contents of events are kept elsewhere.
///
/// Events of one location in one database are delivered in the order of their commits, one at a time, and wait while an
/// earlier one is retried. Events of different locations may overtake each other.
public struct Delivery: Sendable {
  /// The delivery options of a registration.
  public struct Policy: Sendable, Equatable {
    /// True to retry an event whose handler failed.
    public var retries: Bool
    /// The most events in flight.
    public var concurrency: Int
    /// The time after an event's write in which deliveries are attempted, in seconds.
    public var windowSeconds: Int

    /// Creates a policy.
    public init(
      retries: Bool, concurrency: Int = TriggerLimits.concurrency, windowSeconds: Int = TriggerLimits.windowSeconds
    ) {
      (self.retries, self.concurrency, self.windowSeconds) = (retries, concurrency, windowSeconds)
    }
  }

  /// The deliveries that are due.
  public struct Work: Sendable, Equatable {
    /// Events to send, each of which the caller ends with ``Delivery/finish(_:_:now:chance:)``.
    public var starts: [WaitingEvent] = []
    /// Events whose time for attempts is over, and that become dead letters.
    public var expired: [WaitingEvent] = []
  }

  private struct LocationKey: Hashable {
    var source: Int
    var ref: String
  }

  private struct Delayed {
    var dueMilliseconds: Int64
    var lane: LocationKey
    /// True when the handler was not reached. The wait then ends early once any event reaches it.
    var awaitsReceiver: Bool
  }

  /// The policy; may be changed at any time.
  public var policy: Policy
  /// True while the trigger is paused, so that no events are started.
  public var isPaused = false
  private var lanes: [LocationKey: ArraySlice<WaitingEvent>] = [:]
  private var ready: ArraySlice<LocationKey> = []
  /// The locations whose first event waits for a retry, ordered by time, the latest first.
  private var delayed: [Delayed] = []
  private var inFlight: [EventKey: LocationKey] = [:]
  /// The number of events in memory, including those in flight.
  public private(set) var knownCount = 0
  /// The number of consecutive failures to reach the handler.
  private var unreachedCount = 0
  private var probeMilliseconds: Int64 = 0

  /// Creates a delivery without events.
  public init(policy: Policy) { self.policy = policy }

  /// The number of events in flight.
  public var inFlightCount: Int { inFlight.count }

  /// True when only one event at a time is attempted, because the last ones did not reach the handler.
  public var isCircuitOpen: Bool { unreachedCount >= TriggerLimits.failuresBeforeBreak }

  /// The number of events for which there is room.
  public var room: Int { max(0, TriggerLimits.knownEventsMax - knownCount) }

  /// Adds events. An older event of a location precedes newer ones, unless these are in flight.
  public mutating func add(_ events: some Sequence<WaitingEvent>) {
    for event in events {
      let lane = LocationKey(source: event.key.source, ref: event.ref)
      knownCount += 1
      guard var queue = lanes[lane] else {
        lanes[lane] = [event]
        schedule(lane, event, awaitsReceiver: false)
        continue
      }
      let isUnderWay = queue.first.map { inFlight[$0.key] != nil } ?? false
      var index = queue.endIndex
      while index > queue.startIndex, event.key < queue[index - 1].key, !(isUnderWay && index - 1 == queue.startIndex) {
        index -= 1
      }
      queue.insert(event, at: index)
      lanes[lane] = queue
      if index == queue.startIndex, !isUnderWay {
        unschedule(lane)
        schedule(lane, event, awaitsReceiver: false)
      }
    }
  }

  /// Returns the events that can be started now.
  ///
  /// - Parameters:
  /// - now: The time in milliseconds since 1970.
  /// - slots: The most events to start, so that other triggers get a share as well.
  public mutating func work(now: Int64, slots: Int) -> Work {
    var work = Work()
    guard !isPaused else { return work }
    while let next = delayed.last, next.dueMilliseconds <= now {
      delayed.removeLast()
      ready.append(next.lane)
    }
    while inFlight.count < policy.concurrency, work.starts.count < slots, let lane = ready.first {
      if isCircuitOpen, !inFlight.isEmpty || now < probeMilliseconds { break }
      ready.removeFirst()
      guard let event = lanes[lane]?.first else { continue }
      guard now - event.milliseconds < Int64(policy.windowSeconds) * 1_000 else {
        work.expired.append(event)
        drop(lane)
        continue
      }
      inFlight[event.key] = lane
      work.starts.append(event)
    }
    return work
  }

  /// The time in milliseconds since 1970 when ``work(now:slots:)`` returns events again although none is added or
  /// finished; nil when it will not.
  public var nextMilliseconds: Int64? {
    guard !isPaused, inFlight.count < policy.concurrency else { return nil }
    let first = ready.isEmpty ? delayed.last?.dueMilliseconds : 0
    guard isCircuitOpen, let first else { return first }
    return inFlight.isEmpty ? max(first, probeMilliseconds) : nil
  }

  /// Records the outcome of an attempt.
  ///
  /// - Parameters:
  ///   - now: The time in milliseconds since 1970.
  ///   - chance: A random number from 0 to 1.
  /// - Returns: The new state of the event; nil when it is not in flight.
  public mutating func finish(
    _ key: EventKey, _ outcome: AttemptOutcome, now: Int64, chance: Double
  ) -> EventSettlement? {
    guard let lane = inFlight.removeValue(forKey: key), let event = lanes[lane]?.first else { return nil }
    switch outcome {
    case .notRun:
      unreachedCount += 1
      if isCircuitOpen {
        let failures = unreachedCount - TriggerLimits.failuresBeforeBreak + 1
        probeMilliseconds = now + DeliveryBackOff.milliseconds(failures: failures, chance: chance)
      }
    case .gone: break
    case .done, .refused, .unknownFunction, .failed, .unknown: reached()
    }
    switch outcome {
    case .done:
      drop(lane)
      return .delivered
    case .refused(let reason): return dead(lane, "the receiver refused the event: \(reason)")
    case .unknownFunction: return dead(lane, "the receiver refused the event: status 404")
    case .failed(let reason):
      guard policy.retries else { return dead(lane, "the handler failed: \(reason)") }
      return retry(lane, event, reason, nil, awaitsReceiver: false, now, chance)
    case .unknown(let reason):
      guard policy.retries else { return dead(lane, "the handler may have run: \(reason)") }
      return retry(lane, event, reason, nil, awaitsReceiver: false, now, chance)
    case .notRun(let reason, let seconds): return retry(lane, event, reason, seconds, awaitsReceiver: true, now, chance)
    case .gone:
      ready.insert(lane, at: ready.startIndex)
      return .waits(attemptCount: event.attemptCount, dueMilliseconds: event.dueMilliseconds)
    }
  }

  /// Drops an event in flight whose attempt had no outcome and does not count.
  public mutating func forget(_ key: EventKey) {
    guard let lane = inFlight.removeValue(forKey: key) else { return }
    drop(lane)
  }

  /// Retries events that wait because the receiver was not reached, after a report that it can be reached again.
  public mutating func receiverIsBack() {
    unreachedCount = 0
    retryDelayed()
  }

  /// Returns true when an event is in flight.
  public func isUnderWay(_ key: EventKey) -> Bool { inFlight[key] != nil }

  /// Drops all events that are not in flight; the caller adds them again, together with events between them.
  public mutating func forgetIdle() {
    (ready, delayed) = ([], [])
    lanes = lanes.compactMapValues { queue in
      guard let first = queue.first, inFlight[first.key] != nil else { return nil }
      return [first]
    }
    knownCount = inFlight.count
  }

  /// Returns true when an event is in memory.
  public func knows(_ event: WaitingEvent) -> Bool {
    lanes[LocationKey(source: event.key.source, ref: event.ref)]?.contains { $0.key == event.key } ?? false
  }

  // MARK: Locations

  private mutating func retry(
    _ lane: LocationKey, _ event: WaitingEvent, _ reason: String, _ retryAfterSeconds: Int64?, awaitsReceiver: Bool,
    _ now: Int64,
    _ chance: Double
  ) -> EventSettlement {
    var event = event
    event.attemptCount += 1
    let delay =
      retryAfterSeconds.map { $0 * 1_000 } ?? DeliveryBackOff.milliseconds(failures: event.attemptCount, chance: chance)
    event.dueMilliseconds = now + delay
    guard event.dueMilliseconds - event.milliseconds < Int64(policy.windowSeconds) * 1_000 else {
      return dead(lane, "given up after \(event.attemptCount) attempts: \(reason)")
    }
    lanes[lane]?.replaceFirst(with: event)
    schedule(lane, event, awaitsReceiver: awaitsReceiver && retryAfterSeconds == nil)
    return .waits(attemptCount: event.attemptCount, dueMilliseconds: event.dueMilliseconds)
  }

  private mutating func dead(_ lane: LocationKey, _ reason: String) -> EventSettlement {
    drop(lane)
    return .dead(reason: reason)
  }

  /// Removes the first event of a location, so that the next one can start.
  private mutating func drop(_ lane: LocationKey) {
    guard var queue = lanes[lane], !queue.isEmpty else { return }
    knownCount -= 1
    // Takes the array out of the dictionary while it is changed: shared storage would be copied.
    lanes[lane] = nil
    queue.removeFirst()
    guard let next = queue.first else { return }
    lanes[lane] = queue
    schedule(lane, next, awaitsReceiver: false)
  }

  private mutating func schedule(_ lane: LocationKey, _ event: WaitingEvent, awaitsReceiver: Bool) {
    guard event.dueMilliseconds > 0 else { return ready.append(lane) }
    let entry = Delayed(dueMilliseconds: event.dueMilliseconds, lane: lane, awaitsReceiver: awaitsReceiver)
    var (low, high) = (0, delayed.count)
    while low < high {
      let middle = (low + high) / 2
      if delayed[middle].dueMilliseconds > entry.dueMilliseconds { low = middle + 1 } else { high = middle }
    }
    delayed.insert(entry, at: low)
  }

  private mutating func unschedule(_ lane: LocationKey) {
    ready.removeAll { $0 == lane }
    delayed.removeAll { $0.lane == lane }
  }

  /// Records that the handler was reached, and ends the waits of events that did not reach it.
  private mutating func reached() {
    let wasBroken = isCircuitOpen
    unreachedCount = 0
    if wasBroken { retryDelayed() }
  }

  private mutating func retryDelayed() {
    for entry in delayed.reversed() where entry.awaitsReceiver { ready.append(entry.lane) }
    delayed.removeAll(where: \.awaitsReceiver)
  }
}

extension ArraySlice {
  fileprivate mutating func replaceFirst(with element: Element) {
    if !isEmpty { self[startIndex] = element }
  }
}
