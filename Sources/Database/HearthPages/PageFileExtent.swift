import HearthBytes
import HearthTree

/// The extent of a database's page files: the segments in use, and the address at which the next record is written.
package struct PageFileExtent: Sendable, Equatable {
  /// A segment file.
  package struct Segment: Sendable, Equatable {
    /// The number, which the file's name has.
    package var number: Int
    /// The random number in the file's header.
    package var nonce: UInt64
    /// The bytes of the file in use, the header included.
    package var sizeBytes: Int
    /// The bytes of all records that were written, without the header and the space between pieces.
    package var recordBytes: Int

    /// Creates a description of a segment.
    package init(number: Int, nonce: UInt64, sizeBytes: Int, recordBytes: Int) {
      (self.number, self.nonce, self.sizeBytes, self.recordBytes) = (number, nonce, sizeBytes, recordBytes)
    }
  }

  /// The address behind the last record. What is behind it in the files has no meaning.
  package var endAddress: Int
  /// The segments in ascending order of their numbers.
  package var segments: [Segment]

  /// The extent of a database without pages.
  package static let empty = PageFileExtent(endAddress: 0, segments: [])

  /// Returns an extent with the segments of this one, and those of a later one that have records behind an address.
  package func joined(with later: PageFileExtent, after address: Int, in files: PageFiles) -> PageFileExtent {
    let first = files.layout.number(of: address)
    let added = later.segments.filter { $0.number >= first }
    let numbers = Set(added.map(\.number))
    return PageFileExtent(
      endAddress: later.endAddress, segments: segments.filter { !numbers.contains($0.number) } + added)
  }

  /// Creates an extent.
  package init(endAddress: Int, segments: [Segment]) { (self.endAddress, self.segments) = (endAddress, segments) }
}

// The layout of an extent. All numbers are little-endian.
//
//     end address (8), number of segments (4)
//     for each segment: number (4), size (4), bytes of records (4), nonce (8)
extension PageFileExtent {
  private static let segmentSize = 20

  /// Reads an extent.
  init(_ reader: inout ByteReader, layout: PageFileLayout) throws(MalformedBytes) {
    let end = try reader.number(UInt64.self)
    let count = try reader.count(max: PageFileLimits.segmentsMax, of: Self.segmentSize)
    var segments: [Segment] = []
    segments.reserveCapacity(count)
    for _ in 0..<count {
      let (number, size) = (try reader.number(UInt32.self), try reader.number(UInt32.self))
      let (recordBytes, nonce) = (try reader.number(UInt32.self), try reader.number(UInt64.self))
      segments.append(
        Segment(number: Int(number), nonce: nonce, sizeBytes: Int(size), recordBytes: Int(recordBytes)))
    }
    self.init(endAddress: Int(clamping: end), segments: segments)
    guard isValid(layout) else { throw MalformedBytes("the extent of the page files is wrong") }
  }

  /// True when the segments are in order, end before the end address, and the last one ends there.
  private func isValid(_ layout: PageFileLayout) -> Bool {
    let alignment = PageLocation.alignment
    guard endAddress <= PageLocation.addressEnd, endAddress % alignment == 0 else { return false }
    var numberMin = 0
    for segment in segments {
      guard segment.number >= numberMin, segment.number < PageFileLimits.segmentsMax,
        segment.sizeBytes >= SegmentHeader.sizeBytes, segment.sizeBytes <= layout.segmentSizeBytes,
        segment.sizeBytes % alignment == 0, segment.recordBytes <= segment.sizeBytes,
        layout.start(of: segment.number) + segment.sizeBytes <= endAddress
      else { return false }
      numberMin = segment.number + 1
    }
    let (number, offset) = (layout.number(of: endAddress), layout.offset(of: endAddress))
    if offset == 0 { return true }
    return segments.last.map { $0.number == number && $0.sizeBytes == offset } ?? false
  }

  /// Appends the extent.
  func write(to writer: inout ByteWriter) {
    writer.number(UInt64(clamping: endAddress))
    writer.number(UInt32(clamping: segments.count))
    for segment in segments {
      for number in [segment.number, segment.sizeBytes, segment.recordBytes] { writer.number(UInt32(clamping: number)) }
      writer.number(segment.nonce)
    }
  }
}
