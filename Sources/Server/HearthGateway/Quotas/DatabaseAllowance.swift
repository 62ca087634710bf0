import HearthSystem
import HearthTree
import Synchronization

/// The quotas of clients for one database, and their use: over all event loops. Thread-safe.
///
/// Changed quotas apply at once, also to open sockets. In a database without quotas each message only reads one number.
final class DatabaseAllowance: Sendable {
  private struct State {
    var quotas = DatabaseQuotas.none
    /// The quota of the database's connections, which its clients share.
    var connections: FairShareLimit
    var requests = TokenBucket()
    var bytes = TokenBucket()
    var clients: [QuotaClientName: KnownClient] = [:]
    /// The capacity of ``clients``, which networks share.
    var clientSlots: FairShareLimit
    /// The earliest time of the next removal of idle clients, and the number of clients that triggers it.
    var sweepNanoseconds: Int64 = 0
    var sweepCount = 1_024

    init(_ limits: QuotaLimits) {
      connections = FairShareLimit(max: limits.connectionsMax)
      clientSlots = FairShareLimit(max: limits.clientsMax)
    }
  }

  private struct KnownClient {
    var client: QuotaClient
    var slot: FairShareLimit.Claim
  }

  /// A connection's slot among those of its database.
  struct Entry: Sendable {
    /// The client; nil for an administrator's connection.
    fileprivate(set) var client: QuotaClient?
    fileprivate var share: FairShareLimit.Claim
  }

  private let limits: QuotaLimits
  private let state: Mutex<State>
  /// True when a quota limits the rate of requests or bytes.
  private let limitsRates = Atomic(false)
  /// The quota of stored bytes while it is exceeded; 0 otherwise.
  private let exceededStorageQuota = Atomic(0)
  private let responseBytesMax = Atomic(DataLimits.readSizeBytesMax)
  /// The work that clients have caused.
  let work: Mutex<WorkLedger>

  init(limits: QuotaLimits = .standard) {
    self.limits = limits
    state = Mutex(State(limits))
    work = Mutex(WorkLedger(limits))
  }

  // MARK: Limits

  var quotas: DatabaseQuotas { state.withLock { $0.quotas } }

  /// The number of connections now.
  var connectionCount: Int { state.withLock { $0.connections.used } }

  /// The number of clients that are counted separately now.
  var clientCount: Int { state.withLock { $0.clients.count } }

  func set(_ quotas: DatabaseQuotas) {
    work.withLock { work in
      work.stepsPerSecond = quotas[.workPerSecond] ?? limits.workPerSecond
      work.connectionStepsPerSecond = quotas[.connectionWorkPerSecond] ?? limits.connectionWorkPerSecond
    }
    state.withLock { state in
      state.quotas = quotas
      state.connections.max = quotas[.connections] ?? limits.connectionsMax
      limitsRates.store(quotas.limitsRates, ordering: .relaxed)
      responseBytesMax.store(quotas[.answerBytes] ?? DataLimits.readSizeBytesMax, ordering: .relaxed)
      if quotas[.storedBytes] == nil { exceededStorageQuota.store(0, ordering: .relaxed) }
    }
  }

  /// The maximum bytes of a response to a client.
  var answerBytesMax: Int { responseBytesMax.load(ordering: .relaxed) }

  // MARK: Connections

  /// Takes a slot for one more connection; ``leave(_:)`` frees it. Clients share the slots: ``ShareRule``.
  ///
  /// - Parameters:
  ///   - name: the client's name; nil for an administrator's connection.
  ///   - network: the client's network; nil when it is not known.
  func enter(
    as name: QuotaClientName?, from network: NetworkPrefix? = nil, at now: Int64
  ) -> Result<Entry, QuotaRefusal> {
    state.withLock { state in
      let claimant = ShareClaimant(account: name?.uid, network: network, isAdministrator: name == nil)
      var share = state.connections.join(claimant)
      guard state.connections.admit(to: &share) else {
        state.connections.leave(&share)
        return .failure(QuotaRefusal(.connections, state.connections.max))
      }
      switch join(name, network, &state, at: now) {
      case .success(let client): return .success(Entry(client: client, share: share))
      case .failure(let refusal):
        state.connections.leave(&share)
        return .failure(refusal)
      }
    }
  }

  /// Moves a connection to another client; it stays with the former one when the other has as many as it may.
  ///
  /// - Returns: the reason why it stays.
  func move(
    _ entry: inout Entry, to name: QuotaClientName?, from network: NetworkPrefix? = nil, at now: Int64
  ) -> QuotaRefusal? {
    state.withLock { state in
      if entry.client?.name == name { return nil }
      switch join(name, network, &state, at: now) {
      case .success(let next):
        entry.client?.disconnect()
        entry.client = next
        state.connections.move(&entry.share, to: name?.uid, isAdministrator: name == nil)
        return nil
      case .failure(let refusal): return refusal
      }
    }
  }

  /// Frees the slot of a connection that has ended.
  func leave(_ entry: inout Entry) {
    entry.client?.disconnect()
    state.withLock { $0.connections.leave(&entry.share) }
  }

  private func join(
    _ name: QuotaClientName?, _ network: NetworkPrefix?, _ state: inout State, at now: Int64
  ) -> Result<QuotaClient?, QuotaRefusal> {
    guard let name else { return .success(nil) }
    let client = findOrMake(name, network, &state, at: now)
    let max = state.quotas[.clientConnections]
    return client.connect(max: max) ? .success(client) : .failure(QuotaRefusal(.clientConnections, max ?? 0))
  }

  private func findOrMake(
    _ name: QuotaClientName, _ network: NetworkPrefix?, _ state: inout State, at now: Int64
  ) -> QuotaClient {
    if let known = state.clients[name] { return known.client }
    if state.clients.count >= min(state.sweepCount, limits.clientsMax), now >= state.sweepNanoseconds {
      for (name, var known) in state.clients where known.client.isIdle(at: now) {
        state.clientSlots.leave(&known.slot)
        state.clients[name] = nil
      }
      // Idle clients are searched for at most once a second, and less often when many clients stay.
      state.sweepNanoseconds = now + 1_000_000_000
      state.sweepCount = max(1_024, 2 * state.clients.count)
    }
    var slot = state.clientSlots.join(ShareClaimant(network: network))
    let key: QuotaClientName = state.clientSlots.admit(to: &slot) ? name : .others
    if let known = state.clients[key] {
      state.clientSlots.leave(&slot)
      return known.client
    }
    let client = QuotaClient(key)
    state.clients[key] = KnownClient(client: client, slot: slot)
    return client
  }

  // MARK: Rates

  /// Counts a message on a connection of that client; returns a refusal when the quota is used up.
  func refusal(ofMessage bytes: Int, from client: QuotaClient) -> QuotaRefusal? {
    guard limitsRates.load(ordering: .relaxed) else { return nil }
    return take(bytes, client, at: Self.now)
  }

  /// Counts a request over HTTP in the same way.
  func refusal(
    ofRequest bytes: Int, from client: @autoclosure () -> (name: QuotaClientName, network: NetworkPrefix)
  ) -> QuotaRefusal? {
    guard limitsRates.load(ordering: .relaxed) else { return nil }
    let (client, now) = (client(), Self.now)
    return take(bytes, state.withLock { findOrMake(client.name, client.network, &$0, at: now) }, at: now)
  }

  /// Takes from the client's own rates first, so that a client over them does not use up the common ones.
  func take(_ bytes: Int, _ client: QuotaClient, at now: Int64) -> QuotaRefusal? {
    let rates = QuotaRates(quotas)
    if let refusal = client.take(bytes, rates, at: now) { return refusal }
    return state.withLock { state in
      var refusal = rates.take(bytes, .requestsPerSecond, &state.requests, .bytesPerSecond, &state.bytes, at: now)
      refusal?.connectionCount = state.connections.used
      return refusal
    }
  }

  static var now: Int64 { Int64(clamping: Clock.monotonicNanoseconds) }

  // MARK: Storage

  /// The reason why no more data is stored; nil while there is room.
  var storageRefusal: QuotaRefusal? {
    let max = exceededStorageQuota.load(ordering: .relaxed)
    return max == 0 ? nil : QuotaRefusal(.storedBytes, max)
  }

  /// True when stored bytes are limited.
  var limitsStorage: Bool { quotas[.storedBytes] != nil }

  /// Compares the bytes of the data with their limit, if there is one.
  func review(_ root: Node) {
    guard let quota = state.withLock({ $0.quotas[.storedBytes] }) else { return }
    let isFull = root.heldBytes() > quota
    state.withLock { state in
      // The quota was changed meanwhile: the next review applies it.
      guard state.quotas[.storedBytes] == quota else { return }
      exceededStorageQuota.store(isFull ? quota : 0, ordering: .relaxed)
    }
  }
}
