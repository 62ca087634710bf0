import HearthJournal
import HearthPages
import HearthTree
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An archive whose views contain the states of checkpoints, read from page files in the format of snapshots.
package struct CheckpointArchive: JournalArchive {
  private let archive: any JournalArchive
  private let pageFolder: @Sendable (_ name: String) -> String?

  /// The time for which a view waits while the owner removes pages, and the time between two attempts.
  private static let (waitMilliseconds, retryMilliseconds) = (10_000, 10)

  /// Creates an archive.
  ///
  /// - Parameters:
  ///   - archive: The journals.
  ///   - pageFolder: Returns the folder for the pages of a journal: see `JournalFactory.pageFolder(of:)`.
  package init(_ archive: any JournalArchive, pageFolder: @escaping @Sendable (_ name: String) -> String?) {
    (self.archive, self.pageFolder) = (archive, pageFolder)
  }

  /// Returns the names in the archive.
  package func names() throws(JournalError) -> [String] { try archive.names() }

  /// Returns a view of the journal with that name, which keeps its pages from being removed until it is closed.
  ///
  /// - Throws: `.inUse` when the owner removes pages for a long time; the errors of the archive.
  package func view(_ name: String) throws(JournalError) -> any JournalView {
    guard let folder = pageFolder(name) else { return try archive.view(name) }
    for _ in 0..<Self.waitMilliseconds / Self.retryMilliseconds {
      // The lock is taken first, so that the owner removes nothing that the checkpoint names.
      let lock = try Self.lock(folder)
      let view = try archive.view(name)
      guard let checkpoint = view.checkpoint else { return view }
      if let lock { return CheckpointView(view, checkpoint, in: folder, lock) }
      view.close()
      usleep(UInt32(Self.retryMilliseconds * 1_000))
    }
    throw JournalError(
      .inUse, "the database has been removing pages for \(Self.waitMilliseconds / 1_000) seconds; try again later",
      at: JournalError.Place(file: folder))
  }

  /// Returns nil while the owner removes pages, and for a database without.
  private static func lock(_ folder: String) throws(JournalError) -> PageFolderLock? {
    do throws(PageError) {
      return try PageFolderLock.forReading(folder)
    } catch {
      if error.code == .missing { return nil }
      throw JournalError(error)
    }
  }

  /// Starts a restoration in the archive: a journal without pages.
  package func restoration(_ name: String) throws(JournalError) -> any JournalRestoration {
    try archive.restoration(name)
  }
}

/// A view of a journal with the state of its checkpoint.
private final class CheckpointView: JournalView {
  private let view: any JournalView
  private let state: Checkpoint
  private let folder: String
  private let lock: Mutex<PageFolderLock?>

  init(_ view: any JournalView, _ checkpoint: Checkpoint, in folder: String, _ lock: PageFolderLock) {
    (self.view, state, self.folder) = (view, checkpoint, folder)
    self.lock = Mutex(lock)
  }

  var head: JournalHead { view.head }
  var snapshot: SnapshotInfo? { view.snapshot }
  var checkpoint: Checkpoint? { state }

  func forEachChunk(_ body: ([UInt8]) throws -> Void) throws {
    try PageCheckpointReader().forEachChunk(of: state, in: folder, skipsUnreadable: false, body)
  }

  func forEachLink(after position: Int64, _ body: (JournalLink) throws -> Bool) throws {
    try view.forEachLink(after: position, body)
  }

  func forEachEntry(_ body: (ArchivedEntry) throws -> Void) throws { try view.forEachEntry(body) }

  func close() {
    view.close()
    lock.withLock { $0 = nil }
  }
}
