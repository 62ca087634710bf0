import HearthPlugin
import HearthSystem

/// The runner's work on the loop's thread.
extension ProcessRunner: ProcessOwner {
  /// The interval at which deadlines are checked while requests are under way.
  private static let tickMilliseconds: Int64 = 20
  /// The maximum number of bytes that are read of a process at a time, so that a flood of output does not delay other processes.
  private static let readBytesMax = 64 << 10
  /// The time after which a process that closed its output and does not end is killed.
  private static let outputEndMilliseconds: Int64 = 500

  func runDueWork(now: Int64) -> ProcessWatch {
    change { state, now in
      state.supervisor.tick(now: now)
      for worker in state.processes.indices {
        if let end = state.processes[worker]?.outputEnd, end + Self.outputEndMilliseconds <= now {
          state.supervisor.kill(worker, "closed its standard output")
        }
      }
    }
    startProcesses()
    return state.withLock { state in watch(&state) }
  }

  private func watch(_ state: inout State) -> ProcessWatch {
    var watch = ProcessWatch()
    var hasClosed = false
    for case let running? in state.processes {
      watch.readable += [running.process.end, running.process.output, running.process.errors].filter { $0 >= 0 }
      if running.process.unsentBytes > 0, running.process.input >= 0 { watch.writable.append(running.process.input) }
      hasClosed = hasClosed || running.outputEnd != nil
    }
    state.isTicking = hasClosed || state.supervisor.needsTicks
    if state.isTicking { watch.wakeAt = Clock.monotonicMilliseconds + Self.tickMilliseconds }
    if let start = state.supervisor.nextStart { watch.wakeAt = min(watch.wakeAt ?? start, start) }
    watch.isOver = state.supervisor.health == .stopped && state.processes.allSatisfy { $0 == nil }
    return watch
  }

  private func startProcesses() {
    let starts = state.withLock { state -> [Int] in
      defer { state.starts = [] }
      return state.starts
    }
    for worker in starts {
      let started = Result { () throws(PluginProcess.Problem) in try PluginProcess(plan) }
      change { state, now in
        switch started {
        case .success(let process):
          state.processes[worker] = RunningProcess(process, lineBytesMax: setup.lineBytesMax)
          let hello = HostHello(
            server: setup.server, plugin: setup.expectation.name, worker: worker, settings: setup.settings)
          state.processes[worker]?.process.send(HostMessage.hello(hello).line)
          // The process was killed before it existed.
          if !state.supervisor.workers[worker].isExpected { state.processes[worker]?.process.killGroup() }
        case .failure(let problem): state.supervisor.failedToStart(worker, problem.description, now: now)
        }
      }
    }
  }

  func handleReady(_ descriptor: Int32, now: Int64) {
    var lines: [(worker: Int, text: String)] = []
    change { state, now in
      guard
        let worker = state.processes.firstIndex(where: { running in
          guard let process = running?.process else { return false }
          return [process.end, process.input, process.output, process.errors].contains(descriptor)
        }), let process = state.processes[worker]?.process
      else { return }
      switch descriptor {
      case process.end: finish(worker, &state, now: now, &lines)
      case process.input:
        state.processes[worker]?.process.sendRest()
        state.supervisor.noteUnread(state.processes[worker]?.process.unsentBytes ?? 0, of: worker, now: now)
      case process.output: _ = readOutput(of: worker, &state, now: now)
      default: _ = readErrors(of: worker, &state, now: now, &lines)
      }
    }
    for line in lines { report.line(line.worker, line.text) }
  }

  /// Reads the standard output of a process.
  ///
  /// - Returns: false when there was no data.
  private func readOutput(of worker: Int, _ state: inout State, now: Int64) -> Bool {
    guard var running = state.processes[worker] else { return false }
    // Taken out of the state for the read: while the state holds a second reference to its buffers, appending would copy them.
    state.processes[worker] = nil
    let read = withUnsafeTemporaryAllocation(byteCount: Self.readBytesMax, alignment: 1) { buffer -> Bool in
      switch running.process.readOutput(into: buffer) {
      case .bytes(let count):
        running.lines.append(buffer[..<count])
        return true
      case .nothing: return false
      case .end:
        running.process.closeOutput()
        running.outputEnd = now
        return false
      }
    }
    var received: [ArraySlice<UInt8>] = []
    do throws(LineFramer.TooLong) {
      while let line = try running.lines.next() { received.append(line) }
    } catch {
      state.supervisor.kill(worker, "sent a line of more than \(setup.lineBytesMax) bytes")
      running.process.closeOutput()
    }
    state.processes[worker] = running
    for line in received { state.supervisor.received(line, from: worker, now: now) }
    return read
  }

  private func readErrors(
    of worker: Int, _ state: inout State, now: Int64, _ lines: inout [(worker: Int, text: String)]
  ) -> Bool {
    guard var running = state.processes[worker] else { return false }
    let read = withUnsafeTemporaryAllocation(byteCount: Self.readBytesMax, alignment: 1) { buffer -> Bool in
      switch running.process.readErrors(into: buffer) {
      case .bytes(let count):
        lines += running.log.append(buffer[..<count], now: now).map { (worker, $0) }
        return true
      case .nothing: return false
      case .end:
        running.process.closeErrors()
        return false
      }
    }
    state.processes[worker] = running
    return read
  }

  /// Handles the end of a process, after a limited amount of its last output.
  private func finish(
    _ worker: Int, _ state: inout State, now: Int64, _ lines: inout [(worker: Int, text: String)]
  ) {
    for _ in 0..<16 { if !readOutput(of: worker, &state, now: now) { break } }
    for _ in 0..<4 { if !readErrors(of: worker, &state, now: now, &lines) { break } }
    guard var running = state.processes[worker] else { return }
    lines += running.log.end(now: now).map { (worker, $0) }
    state.processes[worker] = nil
    let how = running.process.finish()
    state.supervisor.ended(worker, how, now: now)
  }

  // MARK: Waiting

  func waitUntilSettled(milliseconds: Int64) async {
    let timer = Task {
      try? await Task.sleep(for: .milliseconds(milliseconds))
      let waiters = change { state, _ -> [CheckedContinuation<Void, Never>] in
        defer { state.readyWaiters = [] }
        return state.readyWaiters
      }
      for waiter in waiters { waiter.resume() }
    }
    await withCheckedContinuation { continuation in
      let isSettled = change { state, _ -> Bool in
        guard !state.supervisor.isSettled else { return true }
        state.readyWaiters.append(continuation)
        return false
      }
      if isSettled { continuation.resume() }
    }
    timer.cancel()
  }

  func stop() async {
    change { state, now in state.supervisor.drain(now: now) }
    loop.wake()
    await withCheckedContinuation { continuation in
      let isOver = change { state, _ -> Bool in
        guard state.supervisor.health != .stopped else { return true }
        state.stopWaiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }
}
