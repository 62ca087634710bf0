/// The location of a stored page, branch or text: its store, and its address and size there.
///
///     bit 0        1: the address of an object in memory has 0 there
///     bits 1…10    size in bytes, divided by 64
///     bits 11…47   address, divided by 64
///     bits 48…63   the number of the store in this process; 0 in files
package struct PageLocation: Hashable, Sendable {
  /// The maximum size of a record.
  package static let sizeBytesMax = 0x3FF * alignment
  /// The end of the addresses of a store: 8 TiB. Addresses are not used twice.
  package static let addressEnd = 1 << 43
  /// Sizes and addresses are multiples of this.
  package static let alignment = 64

  /// The bits of the location.
  let bits: UInt

  init(bits: UInt) { self.bits = bits }

  /// Creates a location; `nil` when the address or the size is out of range or not aligned.
  package init?(store: UInt16, address: Int, sizeBytes: Int) {
    guard address >= 0, address < Self.addressEnd, sizeBytes > 0, sizeBytes <= Self.sizeBytesMax,
      (address | sizeBytes) % Self.alignment == 0
    else { return nil }
    bits = UInt(store) << 48 | UInt(address / Self.alignment) << 11 | UInt(sizeBytes / Self.alignment) << 1 | 1
  }

  /// Creates the location that a file has in place of a reference; `nil` for other bits.
  package init?(fileBits: UInt64, store: UInt16) {
    guard fileBits & 1 == 1, fileBits >> 48 == 0, fileBits >> 1 & 0x3FF > 0 else { return nil }
    bits = UInt(fileBits) | UInt(store) << 48
  }

  /// The bits for files, without the number of the store.
  package var fileBits: UInt64 { UInt64(bits) & (1 << 48 - 1) }

  /// The number of the store in this process.
  package var store: UInt16 { UInt16(bits >> 48) }
  /// The address in the store, in bytes.
  package var address: Int { Int(bits >> 11 & (1 << 37 - 1)) * Self.alignment }
  /// The size of the record, in bytes.
  package var sizeBytes: Int { Int(bits >> 1 & 0x3FF) * Self.alignment }
}
