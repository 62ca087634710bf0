/// The disk space for snapshots of several databases.
enum SnapshotSpace {
  /// Returns the share of each database. As many databases as possible get the space that they need, the smallest needs
  /// first; the rest is shared evenly, so that an underestimated need is no hard limit.
  ///
  /// - Parameters:
  ///   - roomBytes: the space for all of them together.
  ///   - needs: the need of each database; 0 for one without a need now.
  static func shares(of roomBytes: Int, needs: [Int]) -> [Int] {
    var (shares, rest) = (needs.map { _ in 0 }, max(0, roomBytes))
    for index in needs.indices.sorted(by: { needs[$0] < needs[$1] }) {
      shares[index] = min(rest, max(0, needs[index]))
      rest -= shares[index]
    }
    let extra = rest / max(1, needs.count)
    return shares.map { $0 + extra }
  }
}
