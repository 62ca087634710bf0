import Testing

@testable import HearthJournal

@Suite struct RunningHashTests {
  /// Published and independently computed values of XXH64.
  static let vectors: [(text: String, seed: UInt64, hash: UInt64)] = [
    ("", 0, 0xEF46_DB37_51D8_E999),
    ("a", 0, 0xD24E_C4F1_A98C_6E5B),
    ("abc", 0, 0x44BC_2CF5_AD77_0999),
    ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
  ]

  @Test("XXH64 agrees with the reference implementation on whole stripes and remainders")
  func reference() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
    #expect(XXH64.hash(bytes.span, seed: 0x0123_4567_89AB_CDEF) == 0x9C74_DCD2_2212_C449)
    #expect(XXH64.hash(Array(bytes[..<61]).span, seed: 7) == 0xED1C_BD95_9999_A03A)
  }

  @Test("the running hash is computed as documented, with the reference implementation")
  func workedChain() {
    let hello = JournalBatch(firstPosition: 1, lastPosition: 2, payload: Array("hello".utf8))
    let first = RunningHash.empty.appending(hello, epoch: 1)
    #expect(first.rawValue == 0xEAC2_76A6_3D4E_6EAD)
    let nothing = JournalBatch(firstPosition: 3, lastPosition: 3, payload: [])
    #expect(first.appending(nothing, epoch: 2).rawValue == 0xB5F3_7599_F557_A57B)
  }

  @Test("XXH64 has the published values", arguments: vectors)
  func published(_ vector: (text: String, seed: UInt64, hash: UInt64)) {
    #expect(XXH64.hash(Array(vector.text.utf8).span, seed: vector.seed) == vector.hash)
  }

  @Test("XXH64 depends on every byte, the length and the seed, at every length around a stripe")
  func everyByteCounts() {
    var seen: Set<UInt64> = []
    for length in 0...100 {
      let bytes = [UInt8](repeating: 0, count: length)
      seen.insert(XXH64.hash(bytes.span, seed: 0))
      seen.insert(XXH64.hash(bytes.span, seed: 1))
      for index in bytes.indices {
        var changed = bytes
        changed[index] = 1
        seen.insert(XXH64.hash(changed.span, seed: 0))
      }
    }
    #expect(seen.count == 101 * 2 + 5_050)
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
