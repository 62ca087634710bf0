import HearthProgram

/// Asks a plugin again and again.
struct PluginLoad: Sendable {
  struct Figures: Sendable {
    var count = 0
    var failureCount = 0
    var seconds: Double
    var latency: LatencySummary
  }

  /// Asks once, and throws where there is no answer.
  let ask: @Sendable () async throws -> Void

  /// Callers that each wait for their answer before they ask again.
  func closed(callers: Int, seconds: Int) async -> Figures {
    let started = WallClock.monotonicNanoseconds
    let end = started + Int64(seconds) * 1_000_000_000
    let times = await withTaskGroup(of: [Int64?].self) { group in
      for _ in 0..<callers {
        group.addTask {
          var times: [Int64?] = []
          while WallClock.monotonicNanoseconds < end { times.append(await time(from: WallClock.monotonicNanoseconds)) }
          return times
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    return figures(times, started)
  }

  /// So many a second, whether answers come or not.
  ///
  /// - Parameter midway: called once half of them were sent.
  func paced(rate: Int, seconds: Int, midway: () -> Void = {}) async -> Figures {
    let started = WallClock.monotonicNanoseconds
    let times = await withTaskGroup(of: Int64?.self) { group in
      for number in 0..<(rate * seconds) {
        let due = started + Int64(number) * 1_000_000_000 / Int64(rate)
        let ahead = due - WallClock.monotonicNanoseconds
        if ahead > 1_000_000 { try? await Task.sleep(nanoseconds: UInt64(ahead)) }
        if number == rate * seconds / 2 { midway() }
        group.addTask { await time(from: due) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    return figures(times, started)
  }

  /// Nanoseconds until the answer; nil for none.
  private func time(from due: Int64) async -> Int64? {
    // One that was begun a little ahead of its time counts from there.
    let start = min(due, WallClock.monotonicNanoseconds)
    guard (try? await ask()) != nil else { return nil }
    return max(0, WallClock.monotonicNanoseconds - start)
  }

  private func figures(_ times: [Int64?], _ started: Int64) -> Figures {
    let seconds = Double(WallClock.monotonicNanoseconds - started) / 1e9
    let good = times.compactMap(\.self)
    var recorder = LatencyRecorder()
    for time in good { recorder.record(nanoseconds: time) }
    return Figures(
      count: good.count, failureCount: times.count - good.count, seconds: seconds, latency: recorder.summary)
  }
}
