import HearthEngine
import HearthTree

/// Large commands that wait for one worker.
///
/// The next command is that of the client with the least work of this worker in the current period. A client's work is
/// the largest of three counts: of its connection, of its account and of its networks; equal clients are ordered by the
/// count of their connection. The sockets of one network thus share one turn, within which they take turns. A command
/// whose outcome several clients wait for is ranked by the best of them.
struct LargeCommandQueue: Sendable {
  /// The worker's steps in one period: a few seconds.
  static let periodSteps = 64 << 20
  /// The minimum that each command counts for, in steps.
  static let stepsMin = 1_000

  private struct Entry: Sendable {
    let command: Command
    /// The clients that wait for the command's outcome, beginning with its sender.
    var clients: [(payer: WorkPayer, client: ShareClaimant)]
  }

  /// The most clients of one command whose turns count.
  private static let clientsMax = 64

  /// The entries in the order of arrival.
  private var entries: [Entry] = []
  /// The steps taken in the current period, by client.
  private var done = FairShareLimit(max: periodSteps)
  private var claims: [WorkPayer: FairShareLimit.Claim] = [:]

  var count: Int { entries.count }

  mutating func append(_ command: Command, of client: ShareClaimant) {
    entries.append(Entry(command: command, clients: [(WorkPayer(command), client)]))
    join(WorkPayer(command), client)
  }

  /// Adds a client that waits for the outcome of another one's command.
  ///
  /// - Parameter isSame: Returns true for that command.
  mutating func join(_ payer: WorkPayer, of client: ShareClaimant, where isSame: (Command) -> Bool) {
    guard let slot = entries.firstIndex(where: { isSame($0.command) }),
      entries[slot].clients.count < Self.clientsMax
    else { return }
    entries[slot].clients.append((payer, client))
    join(payer, client)
  }

  /// Removes and returns the next command.
  mutating func popFirst() -> (command: Command, client: ShareClaimant)? {
    var next: (index: Int, done: (Int, Int))?
    for index in entries.indices {
      for (payer, _) in entries[index].clients {
        let claim = claims[payer]
        let done = (claim.map { self.done.heaviest(of: $0) } ?? 0, claim?.held ?? 0)
        if next.map({ done < $0.done }) ?? true { next = (index, done) }
      }
    }
    guard let next else { return nil }
    let entry = entries.remove(at: next.index)
    return (entry.command, entry.clients[0].client)
  }

  /// Counts work that was done for a client.
  mutating func charge(_ steps: Int, to payer: WorkPayer, of client: ShareClaimant) {
    if done.used > done.max {
      (done, claims) = (FairShareLimit(max: Self.periodSteps), [:])
      for (payer, client) in entries.flatMap(\.clients) { join(payer, client) }
    }
    join(payer, client)
    guard var claim = claims[payer] else { return }
    done.add(max(steps, Self.stepsMin), to: &claim)
    claims[payer] = claim
  }

  private mutating func join(_ payer: WorkPayer, _ client: ShareClaimant) {
    if claims[payer] == nil { claims[payer] = done.join(client) }
  }
}
