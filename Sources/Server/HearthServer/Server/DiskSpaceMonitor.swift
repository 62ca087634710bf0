import HearthAccounts
import HearthDatabase
import HearthGateway
import HearthSystem
import Logging
import Synchronization

/// A monitor of the free space on the data folder's disk: it warns the operator, and reserves the last space for
/// administration before it is used up. It also sets the space for snapshots of each database.
final class DiskSpaceMonitor: Sendable {
  /// The milliseconds between two checks.
  static let intervalMilliseconds = 500

  /// The divisor of the minimum space that no database takes for writes, whatever free pages its file has.
  private static let logPart = 4

  private let services: GatewayServices
  private let folder: String
  private let thresholds: SpaceThresholds
  private let measure: @Sendable (_ folder: String) -> FileSystemSpace?
  private let task = Mutex<PeriodicTask?>(nil)

  init(_ options: HearthServer.Options, _ services: GatewayServices) {
    self.services = services
    // Writes go to another disk when the journals are not in the data folder.
    let thresholds = options.journal == .dataFolder ? options.space : .never
    (folder, self.thresholds, measure) = (options.dataDirectory, thresholds, options.measureSpace)
  }

  /// Checks at once, and repeatedly until ``stop()``.
  func start() async {
    guard thresholds != .never else { return }
    await BlockingThread.run { self.check() }
    let task = PeriodicTask(every: .milliseconds(Self.intervalMilliseconds), .afterPause) { [self] in
      await BlockingThread.run { self.check() }
    }
    self.task.withLock { $0 = task }
  }

  func stop() async { await task.withLock(\.self)?.stop() }

  /// Sets the space for snapshots of a database that is opened between two checks. Blocks.
  func opened(_ database: Database) {
    guard thresholds != .never, let space = measure(folder) else { return }
    share(space.availableBytes, keeping: thresholds.stopBytes(totalBytes: space.totalBytes), among: [database])
  }

  /// Checks once. Blocks: reads files, and goes through the data of databases that may be shortened.
  func check() {
    guard let space = measure(folder) else { return }
    let last = services.space.level
    let level = thresholds.level(of: space, after: last)
    services.space.level = level
    if level != last { log(level, space) }
    let (accounts, databases) = (services.accounts.own.store, services.databases.openDatabases)
    let stopBytes = thresholds.stopBytes(totalBytes: space.totalBytes)
    share(space.availableBytes, keeping: stopBytes, among: databases + [accounts])
    accounts.setSpaceLow(level == .scarce)
    for database in databases {
      guard level == .scarce else {
        database.setSpaceLow(false)
        continue
      }
      // Free pages inside a file count like room on the disk, up to their size.
      let (reusable, available) = (database.reusableBytes, space.availableBytes)
      let room = reusable.addingReportingOverflow(available)
      let roomBytes = room.overflow ? .max : room.partialValue
      let isFull = SpaceThresholds.isBelow(stopBytes, roomBytes, was: database.isSpaceLow)
      // Every write goes through the engine's log, which is beside the file: a part of the rest is reserved for that, for a
      // snapshot of little data, and for deletions after it.
      let hasLogRoom = available >= stopBytes / Self.logPart
      database.setSpaceLow(isFull || !hasLogRoom)
      if hasLogRoom { database.makeRoom(sizeBytesMax: available / 4 + min(reusable, .max / 2)) }
    }
  }

  /// Sets the space that each database's snapshot may take: of the free space above the threshold, and of the free
  /// pages of its own file.
  private func share(_ availableBytes: Int, keeping stopBytes: Int, among writers: [any SnapshotWriter]) {
    let needs = writers.map(\.snapshotNeedBytes)
    let spare = availableBytes - stopBytes
    let shares = SnapshotSpace.shares(of: spare, needs: needs)
    for (writer, (need, share)) in zip(writers, zip(needs, shares)) {
      guard share < need else {
        writer.setSnapshotRoom(share)
        continue
      }
      // All of it goes through the engine's log, too, which is beside the file.
      let hasLogRoom = availableBytes >= stopBytes / 2
      // When free space is below the threshold, as many free pages of the file stay reserved.
      let reusable = max(0, writer.reusableBytes + min(0, spare))
      writer.setSnapshotRoom(hasLogRoom ? share + min(reusable, need) : 0)
    }
  }

  private func log(_ level: SpaceThresholds.Level, _ space: FileSystemSpace) {
    let metadata: Logger.Metadata = ["available": "\(space.availableBytes)", "of": "\(space.totalBytes)"]
    switch level {
    case .ample: services.logger.notice("the disk has free space again", metadata: metadata)
    case .low:
      services.logger.warning(
        "the disk is nearly full: free space before writes are refused", metadata: metadata)
    case .scarce:
      services.logger.error(
        "the disk is full except for the reserve for administration: writes and new accounts are refused; free space",
        metadata: metadata)
    }
  }
}
