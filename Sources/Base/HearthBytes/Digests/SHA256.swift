/// SHA-256 (FIPS 180-4) of short texts, for the client library, which links no library for cryptography.
public enum SHA256 {
  private static let blockSizeBytes = 64

  /// The fractional parts of the cube roots of the first 64 prime numbers.
  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
    0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
    0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
    0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
    0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
  ]

  /// Returns the digest of a string's UTF-8, as 64 hexadecimal digits in lower case.
  public static func hexDigest(of text: String) -> String {
    // The fractional parts of the square roots of the first eight prime numbers.
    var state: [UInt32] = [
      0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
      0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    var message = Array(text.utf8)
    let bits = UInt64(message.count) &* 8
    message.append(0x80)
    while message.count % blockSizeBytes != 56 { message.append(0) }
    message += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    for start in stride(from: 0, to: message.count, by: blockSizeBytes) {
      compress(message[start..<start + blockSizeBytes], into: &state)
    }
    let digest = state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    return String(decoding: Hexadecimal.encode(digest), as: UTF8.self)
  }

  private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { at in
      block[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for i in 16..<64 {
      let (a, b) = (words[i - 15], words[i - 2])
      words.append(
        words[i - 16] &+ (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) &+ words[i - 7]
          &+ (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10))
    }
    var mixed = state
    for i in 0..<64 {
      let (a, e) = (mixed[0], mixed[4])
      let choice = (e & mixed[5]) ^ (~e & mixed[6])
      let majority = (a & mixed[1]) ^ (a & mixed[2]) ^ (mixed[1] & mixed[2])
      let first = mixed[7] &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ constants[i] &+ words[i]
      let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
      mixed = [first &+ second, a, mixed[1], mixed[2], mixed[3] &+ first, e, mixed[5], mixed[6]]
    }
    for i in 0..<8 { state[i] &+= mixed[i] }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
}
