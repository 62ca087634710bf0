/// Jobs that wait, taken from each client in turn: a client that sends many delays only its own. Clients share the room:
/// ``ShareRule``.
package struct FairQueue<Client: Hashable & Sendable, Job> {
  /// All that wait.
  package private(set) var count = 0
  private var waiting: [Client: [Job]] = [:]
  private var shares: SharedBound
  private var claims: [Client: SharedBound.Claim] = [:]
  /// Clients with jobs that wait, the next first.
  private var turns: [Client] = []

  /// The most jobs that wait.
  package let countMax: Int
  /// Of these, the most of one client.
  package let countPerClientMax: Int

  /// A queue in which nothing waits.
  package init(countMax: Int, countPerClientMax: Int) {
    self.countMax = countMax
    self.countPerClientMax = countPerClientMax
    shares = SharedBound(max: countMax)
  }

  /// Puts a job in line, behind those of its client.
  ///
  /// - Parameters:
  ///   - client: the one whose turn it waits for.
  ///   - claimant: the account and the network that the client's jobs count for.
  /// - Returns: False when the queue, or the client's share of it, is full.
  package mutating func append(_ job: Job, for client: Client, as claimant: ShareClaimant) -> Bool {
    let own = waiting[client]?.count ?? 0
    guard own < countPerClientMax else { return false }
    var claim = claims[client] ?? shares.join(claimant)
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

  /// Puts a job in line.
  ///
  /// - Parameter network: of the client, whose neighbours share what they have.
  package mutating func append(_ job: Job, for client: Client, in network: NetworkPrefix? = nil) -> Bool {
    append(job, for: client, as: ShareClaimant(network: network))
  }

  /// The next job; nil when none waits.
  package mutating func popFirst() -> Job? {
    guard let client = turns.first, let job = waiting[client]?.first else { return nil }
    turns.removeFirst()
    take(at: 0, of: client)
    if waiting[client] != nil { turns.append(client) }
    return job
  }

  /// Takes a client's first job that matches out of the line.
  package mutating func remove(for client: Client, where matches: (Job) -> Bool) -> Job? {
    guard let jobs = waiting[client], let index = jobs.firstIndex(where: matches) else { return nil }
    take(at: index, of: client)
    if waiting[client] == nil { turns.removeAll { $0 == client } }
    return jobs[index]
  }

  private mutating func take(at index: Int, of client: Client) {
    waiting[client]?.remove(at: index)
    let isLast = waiting[client]?.isEmpty == true
    if isLast { waiting[client] = nil }
    if var claim = claims[client] {
      if isLast { shares.leave(&claim) } else { shares.release(of: &claim) }
      claims[client] = isLast ? nil : claim
    }
    count -= 1
  }
}
