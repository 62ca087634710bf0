import HearthBytes
import Testing

@Suite struct XXH64Tests {
  /// Published and independently computed values of XXH64.
  static let vectors: [(text: String, seed: UInt64, hash: UInt64)] = [
    ("", 0, 0xEF46_DB37_51D8_E999),
    ("a", 0, 0xD24E_C4F1_A98C_6E5B),
    ("abc", 0, 0x44BC_2CF5_AD77_0999),
    ("xxhash", 20_141_025, 0xB559_B98D_844E_0635),
    ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
  ]

  @Test("XXH64 agrees with the reference implementation on whole stripes and remainders")
  func reference() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
    #expect(XXH64.hash(bytes.span, seed: 0x0123_4567_89AB_CDEF) == 0x9C74_DCD2_2212_C449)
    #expect(XXH64.hash(Array(bytes[..<61]).span, seed: 7) == 0xED1C_BD95_9999_A03A)
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
}
