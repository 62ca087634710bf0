import HearthTree

/// Jobs that wait, taken from each client in turn: a client that sends many delays only its own. Clients share the room:
/// ``ShareRule``.
struct FairQueue<Job> {
  /// All that wait.
  private(set) var count = 0
  private var waiting: [String: [Job]] = [:]
  private var shares: SharedBound
  private var claims: [String: SharedBound.Claim] = [:]
  /// Clients with jobs that wait, the next first.
  private var turns: [String] = []

  let countMax: Int
  /// Of one client.
  let countPerClientMax: Int

  init(countMax: Int, countPerClientMax: Int) {
    self.countMax = countMax
    self.countPerClientMax = countPerClientMax
    shares = SharedBound(max: countMax)
  }

  /// False when the queue, or the client's share of it, is full.
  ///
  /// - Parameter network: of the client, whose neighbours share what they have.
  mutating func append(_ job: Job, for client: String, in network: NetworkPrefix? = nil) -> Bool {
    let own = waiting[client]?.count ?? 0
    guard own < countPerClientMax else { return false }
    var claim = claims[client] ?? shares.join(ShareClaimant(network: network))
    guard shares.admit(to: &claim) else {
      if own == 0 { shares.leave(&claim) }
      return false
    }
    claims[client] = claim
    waiting[client, default: []].append(job)
    if own == 0 { turns.append(client) }
    count += 1
    return true
  }

  /// The next job; nil when none waits.
  mutating func popFirst() -> Job? {
    guard let client = turns.first, var jobs = waiting[client], !jobs.isEmpty else { return nil }
    turns.removeFirst()
    let job = jobs.removeFirst()
    if var claim = claims[client] {
      if jobs.isEmpty { shares.leave(&claim) } else { shares.release(of: &claim) }
      claims[client] = jobs.isEmpty ? nil : claim
    }
    if jobs.isEmpty {
      waiting[client] = nil
    } else {
      waiting[client] = jobs
      turns.append(client)
    }
    count -= 1
    return job
  }
}
