import HearthSystem
import HearthTree
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of a database's pages: segments to which records are appended, and which are never changed otherwise.
///
/// One process writes the files at a time: the owner of the database's journal. Reads are allowed on any thread, while a
/// ``PageFileWriter`` appends.
package final class PageFiles: PageSource {
  /// The path of the folder with the files.
  package let folder: String
  let layout: PageFileLayout
  let state: Mutex<State>

  struct State {
    var extent: PageFileExtent
    /// The bytes of the segments that the extent does not name any more, and whose files are still to be removed, by
    /// number.
    var released: [Int: Int] = [:]
    /// The nonces of the segments by number.
    var nonces: [Int: UInt64]
    var files: OpenFileTable
    var isClosed = false
    /// The reason why nothing is written: a failed sync, or that the files are open for reading.
    var failure: PageError?
  }

  /// Opens the files of a database, or those of a new one. Whatever the files have behind the extent's end is removed.
  ///
  /// - Parameters:
  ///   - folder: The path of the folder, which is created for a new database.
  ///   - extent: The extent in the newest checkpoint; empty without one.
  ///   - retained: The segments that older checkpoints name, which stay readable; nil when they are not known, and no
  ///     segment before the end is removed.
  /// - Throws: `.missing`, `.foreign` or `.damaged` when a file is not the one that the extent names, before anything
  ///   is changed; `.unsupported` on a network file system.
  package convenience init(
    folder: String, extent: PageFileExtent, retained: [PageFileExtent.Segment]? = []
  ) throws(PageError) {
    try self.init(
      folder: folder, extent: extent, retained: retained, layout: .standard, openFilesMax: PageFileLimits.openFilesMax,
      mount: Mount(of: AtomicFile.parent(of: folder)))
  }

  init(
    folder: String, extent: PageFileExtent, retained: [PageFileExtent.Segment]? = [], layout: PageFileLayout,
    openFilesMax: Int, mount: Mount?
  ) throws(PageError) {
    (self.folder, self.layout) = (folder, layout)
    let nonces = Dictionary(
      ((retained ?? []) + extent.segments).map { ($0.number, $0.nonce) }, uniquingKeysWith: { $1 })
    state = Mutex(State(extent: extent, nonces: nonces, files: OpenFileTable(countMax: openFilesMax)))
    if let mount, mount.isNetwork {
      throw PageError(
        "page files are not supported on \(mount.fileSystem), a file system of a network or of FUSE; move the data "
          + "folder to a local disk", .unsupported, file: folder)
    }
    if extent.segments.isEmpty, !AtomicFile.makeFolder(folder) {
      throw SegmentFile.error("cannot create the folder", folder)
    }
    for segment in extent.segments { try check(segment) }
    try removeRest(extent, retained)
  }

  /// Opens the files that a checkpoint names for reading alone: their owner may be another process, which appends to
  /// them. A file that is missing or is not the one that the extent names shows when it is read.
  package init(reading extent: PageFileExtent, in folder: String) {
    (self.folder, layout) = (folder, .standard)
    let nonces = Dictionary(extent.segments.map { ($0.number, $0.nonce) }, uniquingKeysWith: { $1 })
    state = Mutex(
      State(
        extent: extent, nonces: nonces, files: OpenFileTable(countMax: PageFileLimits.openFilesMax),
        failure: PageError("the files are open for reading alone", .permissionDenied, file: folder)))
  }

  /// Compares a segment's file with its description.
  private func check(_ segment: PageFileExtent.Segment) throws(PageError) {
    let path = path(of: segment.number)
    let restore =
      "put back the file of this database's newest state, restore the database from a backup, or save the rest with: "
      + "hearth repair --apply"
    do throws(PageError) {
      let file = try SegmentFile(path, flags: O_RDONLY)
      let header = try SegmentHeader(try file.bytes(upTo: SegmentHeader.sizeBytes))
      guard header == SegmentHeader(number: UInt64(segment.number), nonce: segment.nonce) else {
        throw PageError("the file belongs to another database or to a later state", .foreign)
      }
      let sizeBytes = try file.sizeBytes
      guard sizeBytes >= segment.sizeBytes else {
        throw PageError("the file has \(sizeBytes) bytes, and \(segment.sizeBytes) are in use", .missing)
      }
    } catch {
      var error = error
      error.file = path
      switch error.code {
      case .damaged, .foreign, .missing: error.finding += "; " + restore
      default: break
      }
      throw error
    }
  }

  /// Removes what no checkpoint names: segments, and the bytes behind the end of the newest one. Segments before the end
  /// were named by an earlier checkpoint, which another process may be reading.
  private func removeRest(
    _ extent: PageFileExtent, _ retained: [PageFileExtent.Segment]?
  ) throws(PageError) {
    let names: [String]
    do {
      names = try AtomicFile.names(in: folder)
    } catch {
      throw SegmentFile.error("cannot read the folder", folder)
    }
    let numbers = Set(extent.segments.map(\.number))
    let former = layout.number(of: extent.endAddress)
    for number in names.compactMap(PageFileLayout.number(ofName:)) where !numbers.contains(number) {
      if number < former {
        let file = try SegmentFile(path(of: number), flags: O_RDONLY)
        let sizeBytes = try file.sizeBytes
        state.withLock { $0.released[number] = sizeBytes }
      } else {
        try SegmentFile.remove(path(of: number))
      }
    }
    if let retained { try removeReleased(keeping: Set(retained.map(\.number)), erasing: true) }
    guard let last = extent.segments.last, layout.number(of: extent.endAddress) == last.number else { return }
    let file = try SegmentFile(path(of: last.number), flags: O_WRONLY)
    if try file.sizeBytes > last.sizeBytes { try file.truncate(to: last.sizeBytes) }
  }

  /// The extent of the records that are durable.
  package var extent: PageFileExtent { state.withLock { $0.extent } }

  /// Refuses all reads and writes from now on. Files are closed when the last read of each has ended.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.files.removeAll()
    }
  }

  func path(of number: Int) -> String { folder + "/" + PageFileLayout.name(of: number) }
}

extension PageFiles {
  /// Returns the offset of a record in its segment's file.
  package func offset(of location: PageLocation) -> Int { layout.offset(of: location.address) }

  /// Returns the path of a record's segment, which need not exist.
  package func file(at location: PageLocation) -> String? { path(of: layout.number(of: location.address)) }

  /// Reads a record with one call of the system. Threads that stream use descriptors on which the system reads ahead.
  package func read(
    at location: PageLocation, _ body: (_ record: UnsafeRawBufferPointer, _ seed: UInt64) -> Void
  ) throws(PageError) {
    guard layout.canContain(location) else { throw PageError("no page can be at this address", at: location) }
    let key = OpenFileTable.Key(
      number: layout.number(of: location.address), access: FaultScope.policy == .stream ? .sequential : .random)
    let size = location.sizeBytes
    let offset = layout.offset(of: location.address)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: PageLocation.alignment)
    defer { buffer.deallocate() }
    let nonce: UInt64
    do throws(PageError) {
      let file: SegmentFile
      (file, nonce) = try segment(key)
      guard try file.read(into: buffer, at: offset) == size else {
        throw PageError("the file ends before the page does", .missing)
      }
    } catch {
      var error = error
      error.location = location
      throw error
    }
    body(UnsafeRawBufferPointer(buffer), nonce ^ UInt64(location.address))
  }

  /// Returns a segment's file and nonce.
  private func segment(_ key: OpenFileTable.Key) throws(PageError) -> (file: SegmentFile, nonce: UInt64) {
    let (nonce, file, isClosed) = state.withLock { ($0.nonces[key.number], $0.files.file(key), $0.isClosed) }
    if isClosed { throw PageError("the files are closed", .closed) }
    guard let nonce else { throw PageError("the segment is not in use") }
    if let file { return (file, nonce) }
    let opened = try SegmentFile(path(of: key.number), flags: O_RDONLY)
    opened.advise(key.access)
    state.withLock { state in
      if !state.isClosed { state.files.insert(opened, key) }
    }
    return (opened, nonce)
  }
}

extension PageFiles {
  /// Throws when nothing may be written: the files are closed or open for reading, or a sync failed.
  func requireWritable() throws(PageError) {
    let (isClosed, failure) = state.withLock { ($0.isClosed, $0.failure) }
    if isClosed { throw PageError("the files are closed", .closed, file: folder) }
    if let failure { throw failure }
  }

  /// Refuses further writes after a failed sync: a repeated sync would not show that the bytes are on the disk.
  ///
  /// - Returns: The error to throw.
  func fail(_ cause: PageError) -> PageError {
    let failure = PageError(
      cause.finding + "; no more pages are written until the files are opened again", .failed, file: cause.file)
    return state.withLock { state in
      state.failure = state.failure ?? failure
      return failure
    }
  }

  /// Adds segments that have become durable, or have grown.
  func extend(_ segments: [PageFileExtent.Segment]) {
    guard let last = segments.last else { return }
    state.withLock { state in
      for segment in segments {
        if state.extent.segments.last?.number == segment.number { state.extent.segments.removeLast() }
        state.extent.segments.append(segment)
        state.nonces[segment.number] = segment.nonce
      }
      state.extent.endAddress = layout.start(of: last.number) + last.sizeBytes
    }
  }
}
