import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The removal of segments without live records. A crash at any point leaves the segments that checkpoints name; the next
/// opening removes the others.
extension PageFiles {
  /// True when files of released segments are still to be removed.
  package var hasReleased: Bool { state.withLock { !$0.released.isEmpty } }

  /// The bytes of these files by the number of the segment.
  package var releasedSizes: [Int: Int] { state.withLock(\.released) }

  /// The bytes of these files.
  package var releasedBytes: Int { releasedSizes.values.reduce(0, +) }

  /// The numbers of released segments.
  package var releasedNumbers: [Int] { releasedSizes.keys.sorted() }

  /// Returns the number of the segment with a record.
  package func segmentNumber(of location: PageLocation) -> Int { layout.number(of: location.address) }

  /// The segments in use that get no more records.
  package var fullSegments: [PageFileExtent.Segment] {
    let extent = extent
    return extent.segments.filter { $0.number < layout.number(of: extent.endAddress) }
  }

  /// Moves the end to the next segment, so that the present last one gets no more records. The rest of its addresses is
  /// not used. Called by the writer.
  func seal() {
    state.withLock { state in
      let rest = layout.offset(of: state.extent.endAddress)
      if rest > 0 { state.extent.endAddress += layout.segmentSizeBytes - rest }
    }
  }

  /// Leaves segments out of the extent. Their records stay readable, and their files stay until
  /// ``removeReleased(keeping:erasing:)``.
  ///
  /// - Parameter numbers: Numbers of ``fullSegments`` with no record that is live.
  package func release(_ numbers: Set<Int>) {
    state.withLock { state in
      let end = layout.number(of: state.extent.endAddress)
      let released = state.extent.segments.filter { numbers.contains($0.number) && $0.number < end }
      for segment in released { state.released[segment.number] = segment.sizeBytes }
      state.extent.segments.removeAll { numbers.contains($0.number) && $0.number < end }
    }
  }

  /// Removes the files of released segments that no version in memory refers to.
  ///
  /// - Parameters:
  ///   - kept: The numbers of the segments that checkpoints name.
  ///   - erasing: True to overwrite the files with zeros before.
  /// - Returns: The bytes of the removed files; nil when nothing was removed, because another process reads a checkpoint.
  @discardableResult
  package func removeReleased(keeping kept: Set<Int> = [], erasing: Bool) throws(PageError) -> Int? {
    let numbers = releasedNumbers.filter { !kept.contains($0) }
    guard !numbers.isEmpty else { return 0 }
    guard let lock = try PageFolderLock.forRemoving(folder) else { return nil }
    defer { withExtendedLifetime(lock) {} }
    var removedBytes = 0
    for number in numbers {
      let path = path(of: number)
      if access(path, F_OK) == 0 {
        let file = try SegmentFile(path, flags: O_WRONLY)
        removedBytes += try file.sizeBytes
        if erasing { try file.erase() }
        try SegmentFile.remove(path)
      }
      state.withLock { state in
        state.released[number] = nil
        state.nonces[number] = nil
        state.files.remove(number)
      }
    }
    return removedBytes
  }

  /// Overwrites what is between the live records of a released segment with zeros, durably.
  ///
  /// - Parameter live: All records in it that a checkpoint refers to.
  /// - Returns: False when nothing was done, because another process reads a checkpoint.
  package func eraseGaps(in number: Int, around live: LiveRecords) throws(PageError) -> Bool {
    guard let lock = try PageFolderLock.forRemoving(folder) else { return false }
    defer { withExtendedLifetime(lock) {} }
    let path = path(of: number)
    // It may have been removed since.
    guard access(path, F_OK) == 0 else { return true }
    let file = try SegmentFile(path, flags: O_WRONLY)
    for gap in live.gaps(in: number, sizeBytes: try file.sizeBytes) { try file.erase(gap) }
    try file.synchronize()
    return true
  }
}
