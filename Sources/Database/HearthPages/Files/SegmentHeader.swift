import HearthBytes
import HearthTree

/// The beginning of a segment file. All numbers are little-endian.
///
///        0  "HearthP1"
///        8  number      8
///       16  nonce       8   random; the seed of a record's checksum is the nonce XOR the record's address
///       24  zeros
///     4088  checksum    8   XXH64 of the bytes before it, with the seed 0
///
/// Records follow, as `PageRecord` describes them, each at a multiple of 64 and within one piece of 1 MiB, with zeros
/// between them where the rest of a piece is too small.
struct SegmentHeader: Equatable {
  static let sizeBytes = 4_096
  private static let magic = Array("HearthP1".utf8)
  private static let checksumOffset = sizeBytes - 8

  var number: UInt64
  var nonce: UInt64

  init(number: UInt64, nonce: UInt64) { (self.number, self.nonce) = (number, nonce) }

  /// Reads the beginning of a file.
  init(_ bytes: [UInt8]) throws(PageError) {
    guard bytes.count == Self.sizeBytes else { throw PageError("the header is incomplete", .missing) }
    var reader = ByteReader(bytes[...])
    guard let magic = try? reader.raw(Self.magic.count), let number = try? reader.number(UInt64.self),
      let nonce = try? reader.number(UInt64.self), magic == Self.magic
    else { throw PageError("the file does not begin as a segment of pages") }
    self.init(number: number, nonce: nonce)
    guard self.bytes == bytes else { throw PageError("the checksum of the header is wrong") }
  }

  /// The encoded header.
  var bytes: [UInt8] {
    var fields = ByteWriter()
    fields.raw(Self.magic)
    fields.number(number)
    fields.number(nonce)
    var bytes = fields.bytes + [UInt8](repeating: 0, count: Self.checksumOffset - fields.bytes.count)
    bytes.append(number: XXH64.hash(bytes.span, seed: 0))
    return bytes
  }
}
