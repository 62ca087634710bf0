import HearthAccounts
import HearthDatabase
import HearthGateway
import HearthSystem
import Logging
import Synchronization

/// Looks at how much room the disk of the data folder has, tells the operator when it gets little, and has the databases
/// keep the rest for administration before it is gone.
final class SpaceCare: Sendable {
  /// Between two looks.
  static let intervalMilliseconds: UInt64 = 500

  /// The part of the least room that no database takes for writes, whatever its file has room for inside.
  private static let logPart = 4

  private let services: GatewayServices
  private let folder: String
  private let thresholds: SpaceThresholds
  private let measure: @Sendable (_ folder: String) -> FileSystemSpace?
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ options: HearthServer.Options, _ services: GatewayServices) {
    self.services = services
    (folder, thresholds, measure) = (options.dataDirectory, options.space, options.measureSpace)
  }

  /// Looks at once, and from then on until ``stop()``.
  func start() async {
    guard thresholds != .never else { return }
    await ServerParts.onBlockingThread { self.look() }
    let task = Task.detached(priority: .utility) { [self] in
      while !Task.isCancelled {
        try? await Task.sleep(nanoseconds: Self.intervalMilliseconds * 1_000_000)
        await ServerParts.onBlockingThread { self.look() }
      }
    }
    self.task.withLock { $0 = task }
  }

  func stop() { task.withLock { $0?.cancel() } }

  /// Looks once. Blocks: reads files, and goes through the data of databases that may be shortened.
  func look() {
    guard let space = measure(folder) else { return }
    let last = services.space.level
    let level = thresholds.level(of: space, after: last)
    services.space.level = level
    if level != last { log(level, space) }
    services.accounts.own.store.setSpaceLow(level == .scarce)
    let stopBytes = thresholds.stopBytes(totalBytes: space.totalBytes)
    for database in services.databases.openDatabases {
      guard level == .scarce else {
        database.setSpaceLow(false)
        continue
      }
      // What a file has room for inside is as good as room on the disk, as far as it goes.
      let (reusable, available) = (database.reusableBytes, space.availableBytes)
      let room = reusable.addingReportingOverflow(available)
      let roomBytes = room.overflow ? .max : room.partialValue
      let isFull = SpaceThresholds.isBelow(stopBytes, roomBytes, was: database.isSpaceLow)
      // Whatever is written goes through SQLite's log, which is beside the file: a part of the rest stays for that.
      database.setSpaceLow(isFull || available < stopBytes / Self.logPart)
      // So does a snapshot, and what is removed after it.
      if available >= stopBytes / 2 { database.makeRoom(sizeBytesMax: available / 4) }
    }
  }

  private func log(_ level: SpaceThresholds.Level, _ space: FileSystemSpace) {
    let metadata: Logger.Metadata = ["available": "\(space.availableBytes)", "of": "\(space.totalBytes)"]
    switch level {
    case .ample: services.logger.notice("there is room on the disk again", metadata: metadata)
    case .low:
      services.logger.warning(
        "there is little room on the disk: make some, before writes are refused", metadata: metadata)
    case .scarce:
      services.logger.error(
        "there is hardly any room on the disk: writes and new accounts are refused, and the rest is kept for administration",
        metadata: metadata)
    }
  }
}
