import HearthTree

/// The division of a store's addresses into segments, one file each, and of these into pieces.
///
/// The address of a record is the number of its segment times the segments' size, plus its offset in the file.
package struct PageFileLayout: Sendable, Equatable {
  /// The layout of all databases.
  package static let standard = PageFileLayout(
    segmentSizeBytes: PageFileLimits.segmentSizeBytesMax, pieceSizeBytes: PageFileLimits.pieceSizeBytes)

  /// The size of a segment: a multiple of the size of a piece.
  let segmentSizeBytes: Int
  let pieceSizeBytes: Int

  func number(of address: Int) -> Int { address / segmentSizeBytes }

  func offset(of address: Int) -> Int { address % segmentSizeBytes }

  /// Returns the address of a segment's first byte.
  func start(of number: Int) -> Int { number * segmentSizeBytes }

  /// Returns true when a segment can have a record at these addresses.
  func canContain(_ location: PageLocation) -> Bool {
    let offset = offset(of: location.address)
    return offset >= SegmentHeader.sizeBytes && offset % pieceSizeBytes + location.sizeBytes <= pieceSizeBytes
  }

  /// Returns the name of a segment's file: `00000017.seg`.
  static func name(of number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + suffix
  }

  /// Returns the number of the segment with a file name; `nil` for other files.
  static func number(ofName name: String) -> Int? {
    guard name.hasSuffix(suffix), let number = Int(name.dropLast(suffix.count)), number >= 0,
      Self.name(of: number) == name
    else { return nil }
    return number
  }

  private static let suffix = ".seg"
}
