import HearthAccounts
import NIOCore
import Synchronization

/// The long-poll sessions of all loops by their ids: a browser's requests come on any connection, and so on any loop.
final class PollDirectory: Sendable {
  struct Entry: Sendable {
    /// Where the session lives.
    let loop: any EventLoop
    let transport: NIOLoopBound<PollTransport>
    /// Whose it is, as far as that can be told.
    let network: ClientNetwork
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// How many each network has.
    var counts: [ClientNetwork: Int] = [:]
  }

  let limits: PollLimits
  private let state = Mutex(State())

  init(limits: PollLimits = .standard) { self.limits = limits }

  var count: Int { state.withLock { $0.entries.count } }

  /// A network that has some sessions gets one more for as long as it leaves as many free: alone it gets half of all, the
  /// next one half of what is left. Sessions cost their client nothing, and so nobody is to have all of them.
  ///
  /// - Returns: False when there are as many as there may be.
  func insert(_ entry: Entry, as id: String) -> Bool {
    state.withLock { state in
      let count = state.counts[entry.network] ?? 0
      guard count < limits.sessionsMax - state.entries.count, state.entries[id] == nil else { return false }
      state.entries[id] = entry
      state.counts[entry.network] = count + 1
      return true
    }
  }

  func remove(_ id: String) {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: id) else { return }
      let left = (state.counts[entry.network] ?? 1) - 1
      state.counts[entry.network] = left > 0 ? left : nil
    }
  }

  func find(_ id: String) -> Entry? { state.withLock { $0.entries[id] } }
}
