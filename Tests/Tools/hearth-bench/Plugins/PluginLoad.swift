import HearthProgram

/// A load of repeated requests to a plugin.
struct PluginLoad: Sendable {
  struct Figures: Sendable {
    var count = 0
    var failureCount = 0
    var seconds: Double
    var latency: LatencySummary
  }

  /// Makes one request, and throws when there is no answer.
  let ask: @Sendable () async throws -> Void

  /// Runs callers that each wait for an answer before the next request.
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

  /// Makes requests at a fixed rate, independent of answers.
  ///
  /// - Parameter midway: Called after half of the requests.
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

  /// Returns the nanoseconds until the answer, or nil when there is none.
  private func time(from due: Int64) async -> Int64? {
    // A request that started slightly early counts from its start.
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
