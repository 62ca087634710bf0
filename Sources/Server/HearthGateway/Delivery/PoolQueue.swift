import HearthEngine
import HearthTree

/// The client of a job on the ``LargeValuePool``: a connection, which has at most one job of each kind at a time, or the
/// requests of a user or network.
package struct PoolClient: Hashable, Sendable {
  /// The connection; nil for one-off requests.
  var connection: ConnectionID?
  /// The user and the network to which the jobs are counted.
  var claimant = ShareClaimant()

  /// The server itself, and administrators' settings.
  package static let server = PoolClient(claimant: ShareClaimant(isAdministrator: true))
}

/// The jobs that wait for a thread of the ``LargeValuePool``. Clients take turns, and short jobs precede long ones.
package struct PoolQueue {
  /// The duration class of a job.
  package enum Lane: Int, Sendable {
    /// Lookups, and values of up to ``LargeValuePool/installedBytesMax``.
    case short
    /// Larger values.
    case long
  }

  struct Job: Sendable {
    let lane: Lane
    /// Runs the job, or reports that it will not run.
    let perform: @Sendable (_ isRefused: Bool) -> Void
  }

  /// The maximum number of long jobs that run at the same time, so that threads are left for short ones.
  private static let longRunningMax = LargeValuePool.threadCount / 2
  /// The number of short jobs after which a long one has its turn.
  private static let shortJobsPerLongJob = 16

  private var lanes: [FairQueue<PoolClient, Job>]
  private var longRunningCount = 0
  private var shortsSinceLong = 0

  init(waitingMax: Int) {
    let lane = FairQueue<PoolClient, Job>(countMax: waitingMax, countPerClientMax: waitingMax)
    lanes = [lane, lane]
  }

  /// Appends a job; returns false when there is no room, or none for the client.
  mutating func append(_ job: Job, for client: PoolClient) -> Bool {
    lanes[job.lane.rawValue].append(job, for: client, as: client.claimant)
  }

  /// Removes and returns the next job; nil when none waits that may run now. ``ended(_:)`` follows.
  mutating func next() -> Job? {
    let mayRunLong = longRunningCount < Self.longRunningMax
    if mayRunLong, shortsSinceLong >= Self.shortJobsPerLongJob, let job = take(.long) { return job }
    if let job = take(.short) { return job }
    return mayRunLong ? take(.long) : nil
  }

  private mutating func take(_ lane: Lane) -> Job? {
    guard let job = lanes[lane.rawValue].popFirst() else { return nil }
    switch lane {
    case .short: shortsSinceLong += 1
    case .long: (longRunningCount, shortsSinceLong) = (longRunningCount + 1, 0)
    }
    return job
  }

  /// Takes the end of a job.
  mutating func ended(_ job: Job) { if job.lane == .long { longRunningCount -= 1 } }

  /// Removes and returns all waiting jobs.
  mutating func removeAll() -> [Job] {
    var jobs: [Job] = []
    for index in lanes.indices { while let job = lanes[index].popFirst() { jobs.append(job) } }
    return jobs
  }
}
