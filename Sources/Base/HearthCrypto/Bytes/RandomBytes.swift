import COpenSSL

/// A source of unpredictable bytes. It is a value, so that tests can pass their own source.
public struct RandomBytes: Sendable {
  private let fill: @Sendable (_ count: Int) throws(RandomnessError) -> [UInt8]

  /// - Parameter fill: Returns `count` bytes.
  public init(_ fill: @escaping @Sendable (_ count: Int) throws(RandomnessError) -> [UInt8]) { self.fill = fill }

  /// OpenSSL's generator for private values, seeded by the operating system.
  public static let system = RandomBytes { (count) throws(RandomnessError) in
    var bytes = [UInt8](repeating: 0, count: count)
    guard let length = Int32(exactly: count), RAND_priv_bytes(&bytes, length) == 1 else { throw RandomnessError() }
    return bytes
  }

  /// Returns `count` unpredictable bytes.
  public func bytes(_ count: Int) throws(RandomnessError) -> [UInt8] { try fill(count) }

  /// Returns a string of `length` characters, each drawn uniformly from A–Z, a–z, 0–9 (5.95 bits a character).
  public func alphanumeric(length: Int) throws(RandomnessError) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var text: [UInt8] = []
    while text.count < length {
      // 248 = 4 × 62: larger bytes are skipped, because otherwise the first characters would be more frequent.
      for byte in try bytes(length) where byte < 248 && text.count < length { text.append(alphabet[Int(byte) % 62]) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The error when the operating system provides no random bytes. Operations that need them must fail.
public struct RandomnessError: Error, Sendable, CustomStringConvertible {
  /// Creates the error, for sources in tests.
  public init() {}
  public var description: String { "the system's random generator failed" }
}
