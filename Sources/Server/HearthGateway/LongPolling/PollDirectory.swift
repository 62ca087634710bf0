import HearthAccounts
import HearthTree
import NIOCore
import Synchronization

/// The long-poll sessions of all loops by their ids: a browser's requests come on any connection, and so on any loop.
final class PollDirectory: Sendable {
  struct Entry: Sendable {
    /// The event loop of the session.
    let loop: any EventLoop
    let transport: NIOLoopBound<PollTransport>
    /// The client's address, behind trusted proxies.
    let network: ClientNetwork
    let presence: PollPresence
  }

  /// The decision on a new session.
  enum Admission {
    case admitted
    /// The session replaces this one, which was removed from the directory and has to be ended.
    case replacing(Entry)
    case refused
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var ids = RandomSessionSet()
    /// The sessions of each network.
    var idsByNetwork: [ClientNetwork: RandomSessionSet] = [:]
    /// The numbers of sessions of each surrounding network, a /24 or a /48.
    var counts: [NetworkPrefix: Int] = [:]
  }

  let limits: PollLimits
  private let state = Mutex(State())

  init(limits: PollLimits = .standard) { self.limits = limits }

  var count: Int { state.withLock { $0.entries.count } }

  /// Adds a session within its network's share. A network gets one more session while more are free than it has: alone it
  /// gets half of all, the next network half of the rest. The networks of a /24 or a /48 together get one more while they
  /// have less than three times the free ones. Beyond its share a network's new session replaces an idle one of the same
  /// network, or, for a network without sessions, of any. A session costs its client little, and a poll under way costs a
  /// connection: so no client can hold all of a network's sessions and lock out others that share it.
  func insert(_ entry: Entry, as id: String, at now: NIODeadline) -> Admission {
    state.withLock { state in
      guard state.entries[id] == nil else { return .refused }
      let free = limits.sessionsMax - state.entries.count
      let isWithinShare =
        (state.idsByNetwork[entry.network]?.count ?? 0) < free
        && state.counts[entry.network.prefix.widest, default: 0] < 3 * free
      var replaced: Entry?
      if !isWithinShare {
        let sample = (state.idsByNetwork[entry.network] ?? state.ids).sample(limits.sampleMax)
        guard let longestIdle = longestIdle(among: sample, of: state, at: now) else { return .refused }
        replaced = Self.remove(longestIdle, from: &state)
      }
      state.entries[id] = entry
      state.ids.insert(id)
      state.idsByNetwork[entry.network, default: RandomSessionSet()].insert(id)
      state.counts[entry.network.prefix.widest, default: 0] += 1
      return replaced.map { .replacing($0) } ?? .admitted
    }
  }

  /// Returns the session among the given ids that has been idle longest; nil when none has been idle for long enough.
  private func longestIdle(among ids: [String], of state: State, at now: NIODeadline) -> String? {
    var (found, longest) = (String?.none, TimeAmount.seconds(Int64(limits.idleSecondsMin)))
    for id in ids {
      guard let since = state.entries[id]?.presence.idleSince, now - since >= longest else { continue }
      (found, longest) = (id, now - since)
    }
    return found
  }

  func remove(_ id: String) { state.withLock { _ = Self.remove(id, from: &$0) } }

  private static func remove(_ id: String, from state: inout State) -> Entry? {
    guard let entry = state.entries.removeValue(forKey: id) else { return nil }
    state.ids.remove(id)
    let wide = entry.network.prefix.widest
    state.counts[wide, default: 0] -= 1
    if state.counts[wide] == 0 { state.counts[wide] = nil }
    state.idsByNetwork[entry.network]?.remove(id)
    if state.idsByNetwork[entry.network]?.count == 0 { state.idsByNetwork[entry.network] = nil }
    return entry
  }

  func find(_ id: String) -> Entry? { state.withLock { $0.entries[id] } }
}
