/// Jobs that wait, taken from each client in turn: a client that sends many delays only its own.
struct FairQueue<Job> {
  /// All that wait.
  private(set) var count = 0
  private var waiting: [String: [Job]] = [:]
  /// Clients with jobs that wait, the next first.
  private var turns: [String] = []

  let countMax: Int
  /// Of one client.
  let countPerClientMax: Int

  init(countMax: Int, countPerClientMax: Int) {
    self.countMax = countMax
    self.countPerClientMax = countPerClientMax
  }

  /// False when the queue, or the client's share of it, is full.
  mutating func append(_ job: Job, for client: String) -> Bool {
    let own = waiting[client]?.count ?? 0
    guard count < countMax, own < countPerClientMax else { return false }
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
