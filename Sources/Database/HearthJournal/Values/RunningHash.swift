/// The running hash of a log: each batch's hash takes the one before it as its seed, so that a batch that is missing,
/// moved, altered or put in shows at the first batch after it.
///
/// 64 bits of XXH64 are enough for what this guards against: disks, file systems and copies that lose or mix up pages.
/// It is no defence against somebody who may write the file, and no hash kept in the same file could be, however long:
/// whoever can change a batch can compute the chain anew. Against accidents the chance to miss one is 2⁻⁶⁴, and XXH64
/// reads several gigabytes a second, which keeps hashing out of the cost of an append.
public struct RunningHash: Sendable, Hashable, CustomStringConvertible {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The hash of the empty log.
  public static let empty = RunningHash(rawValue: 0)

  /// The hash after a batch that was appended under `epoch`.
  ///
  /// Defined as `XXH64(payload, seed: XXH64(header, seed: self))`, the header being epoch, first and last position as
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

  /// Sixteen hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
