import CArgon2

/// Argon2 (RFC 9106), for imported hashes only.
struct Argon2: Sendable, Equatable {
  enum Variant: String, Sendable {
    case d = "argon2d"
    case i = "argon2i"
    case id = "argon2id"
  }

  var variant: Variant
  /// The version: 16 or 19.
  var version: Int
  var memoryKiB: Int
  var iterations: Int
  var lanes: Int
  var associatedData: [UInt8] = []

  static let memoryKiBMax = 32 << 10
  static let iterationsRange = 1...16
  static let lanesRange = 1...16
  static let saltBytesMin = 8
  static let associatedDataBytesMax = 1_024

  /// True when the library takes the parameters, and a tampered row cannot exhaust the machine with them.
  var isWithinBounds: Bool {
    [16, 19].contains(version) && Self.lanesRange.contains(lanes) && Self.iterationsRange.contains(iterations)
      && (8 * lanes...Self.memoryKiBMax).contains(memoryKiB)
      && associatedData.count <= Self.associatedDataBytesMax
  }

  /// The derived bytes; nil when the library refuses. Lanes are computed one after the other: the calling pool decides
  /// the number of processors for passwords.
  func derive(_ password: borrowing WipedBytes, salt: [UInt8], sizeBytes: Int) -> [UInt8]? {
    guard isWithinBounds, salt.count >= Self.saltBytesMin, let passwordLength = UInt32(exactly: password.count),
      let saltLength = UInt32(exactly: salt.count), let outLength = UInt32(exactly: sizeBytes)
    else { return nil }
    let type =
      switch variant {
      case .d: Argon2_d
      case .i: Argon2_i
      case .id: Argon2_id
      }
    var out = [UInt8](repeating: 0, count: sizeBytes)
    let result = password.withBytes { password in
      // Empty arrays may lend no address: hence the zeros.
      hearth_argon2(
        type, UInt32(version), UInt32(memoryKiB), UInt32(iterations), UInt32(lanes), password.baseAddress,
        passwordLength, salt + [0], saltLength, associatedData + [0], UInt32(associatedData.count), &out, outLength)
    }
    return result == ARGON2_OK.rawValue ? out : nil
  }
}
