import HearthSystem
import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The writer at the end of a database's page files. There is one at a time.
///
/// Records are collected and written to the file by the megabyte. A segment is synced when it is full. After a failed
/// write the appended records must be discarded, and the work may be repeated; after a failed sync nothing more is
/// written until the files are opened again.
package struct PageFileWriter: PageSink {
  /// The registered store of the files.
  package let store: PageStore
  private let files: PageFiles
  private let makeNonce: @Sendable () -> UInt64

  /// The segment to which records are appended; `nil` when the next record begins a new one.
  private var segment: PageFileExtent.Segment?
  /// The segment's last bytes, which are not in the file yet.
  private var buffer: [UInt8] = []
  /// The segment's file; `nil` until something is written to it.
  private var file: SegmentFile?
  /// True when the file has bytes that are not durable.
  private var isUnsynced = false
  /// The segments that became full since the last sync.
  private var fullSegments: [PageFileExtent.Segment] = []
  /// The numbers of the files that were created since the last sync.
  private var createdNumbers: [Int] = []
  /// The first failure since the last sync.
  private var failure: PageError?

  private var layout: PageFileLayout { files.layout }

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - files: The files, at whose end it writes.
  ///   - store: The registered store of the files.
  ///   - makeNonce: Returns a random number for each new segment.
  package init(
    _ files: PageFiles, store: PageStore,
    makeNonce: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    (self.files, self.store, self.makeNonce) = (files, store, makeNonce)
    restart()
  }

  private mutating func restart() {
    let extent = files.extent
    segment = extent.segments.last.flatMap { $0.number == layout.number(of: extent.endAddress) ? $0 : nil }
  }

  /// Appends a record to the buffer, which is written to the file when it is large.
  package mutating func append(
    sizeBytes: Int, _ fill: (_ record: UnsafeMutableRawBufferPointer, _ seed: UInt64) -> Void
  ) throws(PageError) -> PageLocation {
    try files.requireWritable()
    if let failure { throw failure }
    do throws(PageError) {
      var current = try room(for: sizeBytes)
      let address = layout.start(of: current.number) + current.sizeBytes
      guard let location = PageLocation(store: store.number, address: address, sizeBytes: sizeBytes) else {
        throw PageError("a page of \(sizeBytes) bytes cannot be stored")
      }
      let start = buffer.count
      buffer.append(contentsOf: repeatElement(0, count: sizeBytes))
      buffer.withUnsafeMutableBytes {
        fill(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), current.nonce ^ UInt64(address))
      }
      current.sizeBytes += sizeBytes
      current.recordBytes += sizeBytes
      segment = current
      if buffer.count >= PageFileLimits.writeSizeBytes { try flush() }
      return location
    } catch {
      failure = error
      throw error
    }
  }

  /// Makes all appended records durable. They are readable then.
  package mutating func sync() throws(PageError) {
    try files.requireWritable()
    if let failure { throw failure }
    do throws(PageError) {
      try flush()
      try synchronizeFile()
      if !createdNumbers.isEmpty, !AtomicFile.synchronize(folder: files.folder) {
        throw files.fail(SegmentFile.error("cannot sync the folder", files.folder))
      }
    } catch {
      failure = error
      throw error
    }
    files.extend(fullSegments + [segment].compactMap(\.self))
    fullSegments.removeAll()
    createdNumbers.removeAll()
  }

  /// Begins a new segment with the next record. Nothing may have been appended since the last sync.
  package mutating func seal() {
    (segment, file) = (nil, nil)
    files.seal()
  }

  /// Continues at the end of the durable records.
  package mutating func discard() {
    buffer.removeAll()
    fullSegments.removeAll()
    (file, isUnsynced, failure) = (nil, false, nil)
    restart()
    guard (try? files.requireWritable()) != nil else { return }
    // This frees space at most: what is left behind the end has no meaning, and is overwritten.
    for number in createdNumbers { try? SegmentFile.remove(files.path(of: number)) }
    createdNumbers.removeAll()
    if let segment { try? SegmentFile(files.path(of: segment.number), flags: O_WRONLY).truncate(to: segment.sizeBytes) }
  }
}

extension PageFileWriter {
  /// Returns the segment in which a record has room at the end. The rest of a piece that is too small becomes zeros.
  private mutating func room(for sizeBytes: Int) throws(PageError) -> PageFileExtent.Segment {
    if let current = segment {
      if let padded = pad(current, for: sizeBytes) { return padded }
      try end(current)
    }
    let number = fullSegments.last.map { $0.number + 1 } ?? layout.number(of: files.extent.endAddress)
    let begun = try begin(number)
    return pad(begun, for: sizeBytes) ?? begun
  }

  /// Fills the rest of a piece with zeros when a record does not fit into it; `nil` when the segment is full.
  private mutating func pad(
    _ segment: PageFileExtent.Segment, for sizeBytes: Int
  ) -> PageFileExtent.Segment? {
    var segment = segment
    let rest = layout.pieceSizeBytes - segment.sizeBytes % layout.pieceSizeBytes
    let padding = sizeBytes <= rest ? 0 : rest
    guard segment.sizeBytes + padding + sizeBytes <= layout.segmentSizeBytes else { return nil }
    buffer.append(contentsOf: repeatElement(0, count: padding))
    segment.sizeBytes += padding
    return segment
  }

  private mutating func begin(_ number: Int) throws(PageError) -> PageFileExtent.Segment {
    guard number < PageFileLimits.segmentsMax else {
      throw PageError(
        "all addresses of the page files are used up; export the database and import it into a new one", .noSpace,
        file: files.folder)
    }
    let nonce = makeNonce()
    buffer = SegmentHeader(number: UInt64(number), nonce: nonce).bytes
    return PageFileExtent.Segment(
      number: number, nonce: nonce, sizeBytes: SegmentHeader.sizeBytes, recordBytes: 0)
  }

  /// Ends a full segment, and makes it durable.
  private mutating func end(_ full: PageFileExtent.Segment) throws(PageError) {
    try flush()
    try synchronizeFile()
    fullSegments.append(full)
    (file, segment) = (nil, nil)
  }

  /// Writes the buffer to the file, which is created with its first bytes.
  private mutating func flush() throws(PageError) {
    guard !buffer.isEmpty, let segment else { return }
    let offset = segment.sizeBytes - buffer.count
    let file: SegmentFile
    if let open = self.file {
      file = open
    } else {
      if offset == 0 { createdNumbers.append(segment.number) }
      file = try SegmentFile(
        files.path(of: segment.number), flags: offset == 0 ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY)
      self.file = file
    }
    isUnsynced = true
    try file.write(buffer, at: offset)
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func synchronizeFile() throws(PageError) {
    guard isUnsynced, let file else { return }
    do throws(PageError) {
      try file.synchronize()
    } catch {
      throw files.fail(error)
    }
    isUnsynced = false
  }
}
