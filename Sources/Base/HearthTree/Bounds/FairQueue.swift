/// A queue in which clients take turns, so that a client with many jobs delays only its own. Clients share the capacity
/// by ``ShareRule``.
package struct FairQueue<Client: Hashable & Sendable, Job> {
  /// The number of waiting jobs.
  package private(set) var count = 0
  private var waiting: [Client: [Job]] = [:]
  private var shares: FairShareLimit
  private var claims: [Client: FairShareLimit.Claim] = [:]
  /// The clients with waiting jobs, in the order of their turns, from ``firstTurn`` on.
  private var turns: [Client] = []
  /// The index of the next client. What is before it is removed from time to time, because that moves all others.
  private var firstTurn = 0

  /// The maximum number of waiting jobs.
  package let countMax: Int
  /// The maximum number of waiting jobs of one client.
  package let countPerClientMax: Int

  /// Creates an empty queue.
  package init(countMax: Int, countPerClientMax: Int) {
    self.countMax = countMax
    self.countPerClientMax = countPerClientMax
    shares = FairShareLimit(max: countMax)
  }

  /// Appends a job behind those of its client.
  ///
  /// - Parameters:
  /// - client: The client in whose turn the job runs.
  /// - claimant: The account and the network to which the client's jobs are counted.
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

  /// Appends a job behind those of its client.
  ///
  /// - Parameter network: The client's network, whose clients share a part of the queue.
  package mutating func append(_ job: Job, for client: Client, in network: NetworkPrefix? = nil) -> Bool {
    append(job, for: client, as: ShareClaimant(network: network))
  }

  /// Removes and returns the next job; nil when none waits.
  package mutating func popFirst() -> Job? {
    guard firstTurn < turns.count, let job = waiting[turns[firstTurn]]?.first else { return nil }
    let client = turns[firstTurn]
    firstTurn += 1
    if firstTurn > turns.count / 2 { removePastTurns() }
    take(at: 0, of: client)
    if waiting[client] != nil { turns.append(client) }
    return job
  }

  /// Removes and returns a client's first job that matches.
  package mutating func remove(for client: Client, where matches: (Job) -> Bool) -> Job? {
    guard let jobs = waiting[client], let index = jobs.firstIndex(where: matches) else { return nil }
    take(at: index, of: client)
    if waiting[client] == nil {
      removePastTurns()
      turns.removeAll { $0 == client }
    }
    return jobs[index]
  }

  private mutating func removePastTurns() {
    turns.removeFirst(firstTurn)
    firstTurn = 0
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
