import HearthPlugin

/// Starting and ending processes.
extension Supervisor {
  /// Starts the plugin, also a quarantined one.
  mutating func start(now: Int64) {
    guard mode != .running else { return }
    mode = .running
    crashTimes = []
    for worker in workers.indices where !workers[worker].hasProcess {
      workers[worker].crashCount = 0
      begin(worker, now: now)
    }
  }

  private mutating func begin(_ worker: Int, now: Int64) {
    workers[worker].state = .starting(until: now + limits.helloMilliseconds)
    workers[worker].faultCount = 0
    workers[worker].unreadBytes = 0
    workers[worker].reason = nil
    add(.start(worker: worker))
  }

  /// Handles a process that could not be started.
  mutating func failedToStart(_ worker: Int, _ reason: String, now: Int64) {
    workers[worker].reason = "could not be started: \(reason)"
    ended(worker, nil, now: now)
  }

  /// Handles the end of a process.
  ///
  /// - Parameter how: such as `with code 1`.
  mutating func ended(_ worker: Int, _ how: String?, now: Int64) {
    let former = workers[worker]
    guard former.hasProcess else { return }
    for id in former.inFlight.keys.sorted() where pendingRequests[id]?.worker == worker {
      pendingRequests[id] = nil
      add(.finish(id, .died))
    }
    workers[worker].inFlight = [:]
    workers[worker].unreadBytes = 0
    workers[worker].state = .off
    let reason = former.reason ?? "ended \(how ?? "without a reason")"
    if mode != .running {
      if !workers.contains(where: \.hasProcess), case .draining = mode {
        failAll(.down)
        mode = .stopped
      }
      return
    }
    crashed(worker, reason, after: former, now: now)
  }

  private mutating func crashed(_ worker: Int, _ reason: String, after former: Worker, now: Int64) {
    var wasHealthy = false
    if case .ready(let since) = former.state { wasHealthy = now - since >= limits.healthyMilliseconds }
    let crashes = wasHealthy ? 1 : former.crashCount + 1
    workers[worker].crashCount = crashes
    workers[worker].restartCount &+= 1
    let cutoff = now - limits.crashWindowMilliseconds
    crashTimes = crashTimes.filter { $0 > cutoff } + [now]
    // The limit is per process: several that crash for the same reason are no worse than one.
    if crashTimes.count >= limits.crashesMax * workers.count {
      return quarantine("it crashed \(crashTimes.count) times; the last process \(reason)")
    }
    let doublings = min(crashes - 1, 30)
    let wait = jittered(min(limits.backOffMilliseconds << doublings, limits.backOffMillisecondsMax))
    workers[worker].state = .waiting(until: now + wait)
    add(.log(isWarning: true, "worker \(worker) \(reason); it restarts in \(wait) ms"))
  }

  private mutating func quarantine(_ reason: String) {
    mode = .quarantined(reason)
    add(.log(isWarning: true, "disabled: \(reason). Requests to it fail until you enable it again."))
    for worker in workers.indices {
      if workers[worker].hasProcess { kill(worker, "was ended with the others") } else { workers[worker].state = .off }
    }
    failAll(.down)
  }

  /// Kills a process for a fault.
  mutating func kill(_ worker: Int, _ reason: String) {
    guard workers[worker].hasProcess, workers[worker].state != .killed else { return }
    workers[worker].state = .killed
    workers[worker].reason = reason
    add(.kill(worker: worker))
  }

  /// Takes no more requests, lets processes answer those under way, and ends them.
  mutating func drain(now: Int64) {
    switch mode {
    case .draining, .stopped: return
    case .running, .quarantined: break
    }
    mode = .draining(until: now + limits.drainMilliseconds)
    for worker in workers.indices {
      if workers[worker].isReady {
        add(.send(worker: worker, HostMessage.drain.line))
        endIfDrained(worker, now: now)
      } else if workers[worker].hasProcess {
        kill(worker, "was ended before it answered")
      } else {
        workers[worker].state = .off
      }
    }
    // Waiting requests get no process any more.
    for id in pendingRequests.filter({ $0.value.worker == nil }).keys.sorted() {
      pendingRequests[id] = nil
      add(.finish(id, .down))
    }
    if !workers.contains(where: \.hasProcess) { mode = .stopped }
  }

  /// Closes the input of a process that has answered all its requests, when no more are to come.
  mutating func endIfDrained(_ worker: Int, now: Int64) {
    guard case .draining = mode, workers[worker].isReady,
      workers[worker].inFlight.values.allSatisfy({ $0.abandonedAt != nil })
    else { return }
    workers[worker].state = .ending(until: now + limits.endMilliseconds)
    add(.close(worker: worker))
  }

  /// Handles expired deadlines and due starts.
  mutating func tick(now: Int64) {
    for id in pendingRequests.filter({ $0.value.deadline <= now }).keys.sorted() { expire(id, now: now) }
    for worker in workers.indices { tick(worker, now: now) }
    if case .draining(let until) = mode, until <= now {
      for worker in workers.indices where workers[worker].isReady {
        add(.log(isWarning: true, "worker \(worker) did not answer all requests before it had to stop, and is killed"))
        kill(worker, "did not finish in time")
      }
    }
  }

  private mutating func tick(_ worker: Int, now: Int64) {
    switch workers[worker].state {
    case .waiting(let until) where until <= now && mode == .running: begin(worker, now: now)
    case .starting(let until) where until <= now:
      kill(worker, "did not send hello within \(limits.helloMilliseconds) ms")
    case .ending(let until) where until <= now:
      add(.log(isWarning: true, "worker \(worker) did not end when asked to stop, and is killed"))
      kill(worker, "did not end by itself")
    case .ready:
      let cutoff = now - limits.overdueMilliseconds
      if workers[worker].inFlight.values.contains(where: { ($0.abandonedAt ?? .max) <= cutoff }) {
        kill(worker, "hangs: it did not answer a request")
      }
      endIfDrained(worker, now: now)
    default: break
    }
  }
}
