/// The room that snapshots of several databases have on one disk.
enum SnapshotRoom {
  /// Who may take how much. As many as possible get what they need, those first who need little; what is left after that
  /// is shared evenly, so that nobody is held to a need that was guessed too low.
  ///
  /// - Parameters:
  ///   - roomBytes: what all of them may take together.
  ///   - needs: what each needs; 0 for those who need nothing now.
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
