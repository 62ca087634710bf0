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

  /// True when the library accepts the parameters, and their cost is limited, so that a manipulated row in the store
  /// cannot exhaust the machine.
  var isWithinBounds: Bool {
    [16, 19].contains(version) && Self.lanesRange.contains(lanes) && Self.iterationsRange.contains(iterations)
      && (8 * lanes...Self.memoryKiBMax).contains(memoryKiB)
      && associatedData.count <= Self.associatedDataBytesMax
  }

  /// Derives bytes from a password; nil when the library refuses. Lanes are computed sequentially, because the calling
  /// thread pool limits the number of processors for passwords.
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
      // Empty arrays may have no address, so a zero byte is appended.
      hearth_argon2(
        type, UInt32(version), UInt32(memoryKiB), UInt32(iterations), UInt32(lanes), password.baseAddress,
        passwordLength, salt + [0], saltLength, associatedData + [0], UInt32(associatedData.count), &out, outLength)
    }
    return result == ARGON2_OK.rawValue ? out : nil
  }
}
