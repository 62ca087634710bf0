import Testing

@testable import HearthJournal

@Suite struct RunningHashTests {
  @Test("the running hash is computed as documented, with the reference implementation")
  func workedChain() {
    let hello = JournalBatch(firstPosition: 1, lastPosition: 2, payload: Array("hello".utf8))
    let first = RunningHash.empty.appending(hello, epoch: 1)
    #expect(first.rawValue == 0xEAC2_76A6_3D4E_6EAD)
    let nothing = JournalBatch(firstPosition: 3, lastPosition: 3, payload: [])
    #expect(first.appending(nothing, epoch: 2).rawValue == 0xB5F3_7599_F557_A57B)
  }

  @Test("the running hash depends on epoch, positions, payload and all earlier batches")
  func chain() {
    let batch = JournalBatch(firstPosition: 1, lastPosition: 2, payload: [1, 2, 3])
    let base = RunningHash.empty.appending(batch, epoch: 1)
    #expect(base == RunningHash.empty.appending(batch, epoch: 1))
    var others: Set<RunningHash> = [base, .empty]
    others.insert(RunningHash.empty.appending(batch, epoch: 2))
    others.insert(base.appending(batch, epoch: 1))
    for change in 0..<3 {
      var other = batch
      if change == 0 { other.firstPosition = 0 }
      if change == 1 { other.lastPosition = 3 }
      if change == 2 { other.payload.append(0) }
      others.insert(RunningHash.empty.appending(other, epoch: 1))
    }
    #expect(others.count == 7)
    #expect(RunningHash(rawValue: 0xAB).description == "00000000000000ab")
  }
}
