import HearthTree

/// The work that clients have caused beyond their fair part of their network's share, by which a network's members are served in
/// proportion (deficit round robin: Shreedhar and Varghese, SIGCOMM 1995).
///
/// The fair part is the network's share, divided by the number of its members that have caused more than such a part. So a client
/// with little work is not confused with its neighbours, and many sockets that take turns do not count as many clients with little
/// work.
struct NetworkWorkTable: Sendable {
  /// A client within its network: an account, or the payer of a signed-out client.
  enum Name: Hashable {
    case account(String)
    case payer(WorkLedger.Payer)

    init(_ payer: WorkLedger.Payer, _ client: ShareClaimant) {
      self = client.account.map { .account($0) } ?? .payer(payer)
    }
  }

  private struct Member {
    var network: NetworkPrefix
    var steps: Int
    /// The number of the window in which work was last added.
    var window: Int64
  }

  /// The smallest divisor of a network's share: a fair part is at most a fourth of it. When the work of all clients is
  /// nearly at its maximum, a member beyond its guaranteed part waits once its recorded work exceeds a fourth of the share that
  /// is still free; n members that want more then get 1/(n + 4) of the share each.
  static let divisor = 4

  private var members: [Name: Member] = [:]
  private var counts: [NetworkPrefix: Int] = [:]
  private let countMax: Int
  private var sweptWindow: Int64 = 0

  /// - Parameter countMax: the maximum number of recorded members; beyond it, those with the least work are dropped.
  init(countMax: Int) { self.countMax = max(2, countMax) }

  /// The number of recorded members.
  var count: Int { members.count }

  /// Returns the recorded work of a member, less a fair part for each window since its last work.
  ///
  /// - Parameters:
  ///   - window: the number of the window.
  ///   - max: the maximum steps of all clients in a window.
  func steps(of name: Name, in window: Int64, of max: Int) -> Int {
    members[name].map { remaining($0, in: window, of: max) } ?? 0
  }

  private func remaining(_ member: Member, in window: Int64, of max: Int) -> Int {
    let part = ShareRule.part(of: max, at: .site) / Swift.max(Self.divisor, counts[member.network] ?? 0)
    let (madeUp, isOver) = Swift.max(0, Int(window - member.window)).multipliedReportingOverflow(by: Swift.max(1, part))
    return isOver ? 0 : Swift.max(0, member.steps - madeUp)
  }

  /// Adds work of a member.
  mutating func add(_ steps: Int, of name: Name, in network: NetworkPrefix, window: Int64, of max: Int) {
    let before = members[name]
    let left = before.map { remaining($0, in: window, of: max) } ?? 0
    if before?.network != network {
      if let before { leave(before.network) }
      counts[network, default: 0] += 1
    }
    members[name] = Member(network: network, steps: left + steps, window: window)
    if members.count > countMax { trim(in: window, of: max) }
  }

  /// Removes, from time to time, the members whose recorded work later windows have used up: the more there are, the less often.
  mutating func sweep(in window: Int64, of max: Int) {
    guard window - sweptWindow >= Swift.max(4, Int64(members.count / 256)) else { return }
    sweptWindow = window
    keep(members.filter { remaining($0.value, in: window, of: max) > 0 })
  }

  private mutating func trim(in window: Int64, of max: Int) {
    let ordered = members.map { (name: $0.key, left: remaining($0.value, in: window, of: max)) }
      .sorted { $0.left > $1.left }
    keep(
      Dictionary(
        uniqueKeysWithValues: ordered.prefix(countMax / 2).compactMap { item in
          members[item.name].map { (item.name, $0) }
        }))
  }

  private mutating func keep(_ kept: [Name: Member]) {
    members = kept
    counts = [:]
    for member in kept.values { counts[member.network, default: 0] += 1 }
  }

  private mutating func leave(_ network: NetworkPrefix) {
    let left = (counts[network] ?? 0) - 1
    counts[network] = left > 0 ? left : nil
  }
}
