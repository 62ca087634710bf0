import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The removal of segments without live records. A crash at any point leaves the segments that the newest checkpoint
/// names; the next opening removes the others.
extension PageFiles {
  /// True when files of released segments are still to be removed.
  package var hasReleased: Bool { state.withLock { !$0.released.isEmpty } }

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
  /// ``removeReleased(erasing:)``.
  ///
  /// - Parameter numbers: Numbers of ``fullSegments`` with no record that is live.
  package func release(_ numbers: Set<Int>) {
    state.withLock { state in
      let end = layout.number(of: state.extent.endAddress)
      let released = state.extent.segments.map(\.number).filter { numbers.contains($0) && $0 < end }
      state.extent.segments.removeAll { numbers.contains($0.number) && $0.number < end }
      state.released.formUnion(released)
    }
  }

  /// Removes the files of released segments, once no checkpoint that is left names them, and no version in memory refers
  /// to their records.
  ///
  /// - Parameter erasing: True to overwrite the files with zeros before.
  /// - Returns: The bytes of the removed files; nil when nothing was removed, because another process reads a checkpoint.
  @discardableResult
  package func removeReleased(erasing: Bool) throws(PageError) -> Int? {
    let numbers = state.withLock { $0.released.sorted() }
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
        state.released.remove(number)
        state.nonces[number] = nil
        state.files.remove(number)
      }
    }
    return removedBytes
  }
}
