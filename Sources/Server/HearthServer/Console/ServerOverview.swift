import HearthBackup
import HearthClusterNode
import HearthDatabase
import HearthGateway
import HearthPluginHost
import HearthSystem
import HearthTree

/// The state of the process, its storage and its databases, with their problems; in a cluster, of this node.
struct ServerOverview: Sendable {
  /// The maximum number of databases in a response, those with most connections first.
  private static let databasesMax = 100

  let services: GatewayServices
  let plugins: PluginHost
  /// The cluster's node; nil for a server by itself.
  let cluster: ClusterNode?
  /// The product that stores the journals.
  let storageProduct: String
  let dataDirectory: String
  let version: String
  private let startMilliseconds = Clock.wallMilliseconds

  init(
    services: GatewayServices, plugins: PluginHost, cluster: ClusterNode?, storageProduct: String,
    dataDirectory: String, version: String
  ) {
    (self.services, self.plugins, self.cluster) = (services, plugins, cluster)
    (self.storageProduct, self.dataDirectory, self.version) = (storageProduct, dataDirectory, version)
  }

  /// The state as JSON for the page. May wait for databases that are deciding: not for event loops.
  var json: JSON {
    let databases = services.databases.openDatabases.map { ($0.name, $0.figures()) }
      .sorted { ($1.1.connectionCount, $0.0) < ($0.1.connectionCount, $1.0) }
    return [
      "node": cluster.map { .string($0.name) } ?? .null, "process": process, "storage": storage,
      "openDatabases": .int(Int64(databases.count)),
      "databases": .array(databases.prefix(Self.databasesMax).map { Self.json($0.0, $0.1) }),
      "findings": .array(findings(databases).map(\.json)),
    ]
  }

  private static func number(_ value: Int?) -> JSON { value.map { .int(Int64($0)) } ?? .null }

  private var process: JSON {
    [
      "version": .string(version), "startedAt": .int(startMilliseconds),
      "uptimeSeconds": .int(max(0, Clock.wallMilliseconds - startMilliseconds) / 1_000),
      "memory": Self.number(ProcessStatistics.residentBytes()),
      "processorSeconds": ProcessStatistics.processorSeconds.map { .double($0) } ?? .null,
      "openFiles": Self.number(ProcessStatistics.openFileCount),
      "openFilesMax": Self.number(ProcessStatistics.openFileCountMax),
    ]
  }

  private var storage: JSON {
    let available = FileSystemSpace(at: dataDirectory).map { Int(clamping: $0.availableBytes) }
    let backup = BackupMarker.read(in: dataDirectory)
    return [
      "diskAvailable": Self.number(available), "diskLevel": "\(services.space.level)",
      "lastBackup": backup.map { .int($0.instantMilliseconds) } ?? .null,
    ]
  }

  private static func json(_ name: String, _ figures: DatabaseFigures) -> JSON {
    func count(_ value: Int) -> JSON { .int(Int64(value)) }
    return [
      "name": .string(name), "isRunning": .bool(figures.isRunning), "connections": count(figures.connectionCount),
      "listens": count(figures.listenCount), "commandsWaiting": count(figures.waitingCommandCount),
      "largeWritesWaiting": count(figures.largeWriteWaitingCount), "batchesWaiting": count(figures.waitingBatchCount),
      "journalBytes": count(figures.journalBytes), "snapshotBytes": count(figures.snapshotBytes),
      "position": .int(figures.position), "pages": figures.pages?.json ?? .null,
    ]
  }

  /// Returns the problems, the worst first.
  private func findings(_ databases: [(String, DatabaseFigures)]) -> [StateFinding] {
    var found = databases.filter { !$0.1.isRunning }.map { name, _ in
      StateFinding("database-stopped", isError: true, name, "\(name) accepts no writes", "See the log for the reason.")
    }
    if services.storage.isUnavailable {
      found.append(
        .init(
          "storage-away", isError: true, nil, "\(storageProduct) does not answer",
          "Writes are refused until it answers."))
    }
    switch services.space.level.rawValue {
    case 0: break
    case let level:
      found.append(
        .init(
          "disk-space", isError: level > 1, nil, "the disk is nearly full",
          "Free space on the disk of the data folder."))
    }
    for plugin in plugins.enabledStatuses()
    where ![PluginHealth.running, .starting, .draining, .stopped].map(\.name).contains(plugin.state) {
      found.append(
        .init(
          "plugin-down", isError: true, plugin.name, "the plugin \(plugin.name) is \(plugin.state)",
          "See the log for the reason."))
    }
    for trigger in services.triggers.sender.status.statuses() {
      if trigger.isUnreachable {
        found.append(
          .init(
            "trigger-unreachable", isError: true, trigger.name, "the receiver of \(trigger.name) cannot be reached",
            "Waiting events are sent once it is reachable."))
      }
      if trigger.figures.deadCount > 0 {
        found.append(
          .init(
            "trigger-dead-letters", isError: false, trigger.name,
            "\(trigger.figures.deadCount) events of \(trigger.name) are dead letters",
            "Check the dead letters, and send them again."))
      }
    }
    return found.filter(\.isError) + found.filter { !$0.isError }
  }
}

/// A problem that needs attention.
private struct StateFinding {
  let code: String
  let isError: Bool
  /// The object of the problem.
  let subject: String?
  let title: String
  let text: String

  init(_ code: String, isError: Bool, _ subject: String?, _ title: String, _ text: String) {
    (self.code, self.isError, self.subject, self.title, self.text) = (code, isError, subject, title, text)
  }

  var json: JSON {
    [
      "code": .string(code), "level": .string(isError ? "error" : "warning"),
      "subject": subject.map { .string($0) } ?? .null, "title": .string(title), "text": .string(text),
    ]
  }
}
