import HearthBytes
import Testing

@Suite struct XXH64Tests {
  @Test(
    "the checksums of known texts",
    arguments: [
      ("", UInt64(0), UInt64(0xEF46_DB37_51D8_E999)), ("a", 0, 0xD24E_C4F1_A98C_6E5B),
      ("abc", 0, 0x44BC_2CF5_AD77_0999), ("xxhash", 20_141_025, 0xB559_B98D_844E_0635),
      ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
    ])
  func knownTexts(text: String, seed: UInt64, checksum: UInt64) {
    #expect(Array(text.utf8).withUnsafeBytes { XXH64.hash($0, seed: seed) } == checksum)
  }
}
