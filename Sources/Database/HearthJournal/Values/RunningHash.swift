import HearthBytes

/// The running hash of a log: each batch's hash takes the one before it as its seed, so that a missing, moved, altered
/// or inserted batch is detected at that batch or the next one.
///
/// 64 bits of XXH64 suffice to detect disks, file systems and copies that lose or mix up pages. It is no defence
/// against an attacker with write access to the file, and no hash in the same file could be, at any length: such an
/// attacker can recompute the chain. An accidental change goes undetected with a probability of 2⁻⁶⁴. XXH64 hashes
/// several gigabytes a second, so that its cost in an append is negligible.
public struct RunningHash: Sendable, Hashable, CustomStringConvertible {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The hash of the empty log.
  public static let empty = RunningHash(rawValue: 0)

  /// Returns the hash after a batch that was appended under `epoch`.
  ///
  /// It is `XXH64(payload, seed: XXH64(header, seed: self))`, where the header is epoch, first and last position as
  /// three little-endian 64-bit integers.
  public func appending(_ batch: JournalBatch, epoch: Int64) -> RunningHash {
    appending(epoch: epoch, first: batch.firstPosition, last: batch.lastPosition, payload: batch.payload.span)
  }

  func appending(epoch: Int64, first: Int64, last: Int64, payload: Span<UInt8>) -> RunningHash {
    var header: [UInt8] = []
    header.reserveCapacity(24)
    for field in [epoch, first, last] {
      withUnsafeBytes(of: field.littleEndian) { header.append(contentsOf: $0) }
    }
    return RunningHash(rawValue: XXH64.hash(payload, seed: XXH64.hash(header.span, seed: rawValue)))
  }

  /// The hash as sixteen hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
