import ArgumentParser
import HearthAccounts
import HearthBackup
import HearthCommandLine
import HearthDoctor
import HearthProgram
import HearthServer
import HearthSystem
import HearthTransport
import HearthTree

/// The examination of a folder, with all checks in the order of the report.
struct Examination {
  let options: PluginsOptions
  /// The current time in seconds since 1970.
  let now: Int64

  private let folder: String

  init(options: PluginsOptions, now: Int64) throws {
    (self.options, self.now) = (options, now)
    folder = try options.data.path()
  }

  /// Returns the command's findings, for a server that has the folder open.
  static func report(on folder: String) -> @Sendable () async throws -> JSON {
    {
      let options = try PluginsOptions.parse(["--data=\(folder)"])
      return DoctorReport(try await Examination(options: options, now: WallClock.nowSeconds).findings()).json
    }
  }

  /// - Throws: when the folder is missing.
  func findings() async throws -> [Finding] {
    guard let version = FileVersion(of: folder), !version.isRegular else {
      throw ValidationError("The folder \(folder) does not exist; name a data folder with --data.")
    }
    let settings = FolderSettings.read(in: folder)
    let files = FolderProbe(dataDirectory: folder, settings: settings)
    let process = ServerProcess.running(on: folder)
    var findings = FileCheck(files.entries).findings
    findings += DiskProbe(folder: folder).check(dataBytes: files.dataBytes + files.pageBytes, settings.space).findings
    findings += backup(settings).findings
    if let url = settings.journal { findings += journal(url).findings }
    findings += MachineProbe(process: process).check(now: now, files, cacheBytes: settings.cacheBytes).findings
    findings += network(settings, files).findings
    findings += configuration(settings)
    do {
      let running = try await options.server()
      findings += try await storage(files, settings, process, running)
      findings += try await rules(files, settings, running)
    } catch {
      findings.append(
        Finding(
          "folder-unserved", .error, "the databases could not be checked: \(error)",
          advice: "start the server and read its log"))
    }
    return findings
  }

  // MARK: Without a server

  private func network(_ settings: FolderSettings, _ files: FolderProbe) -> NetworkCheck {
    let proxies = (try? configured(settings))?.accounts.trustedProxies ?? []
    return NetworkCheck(
      nowSeconds: now, isReachable: settings.url.flatMap(ServerAddress.init(argument:)).map { !$0.isLoopback } ?? false,
      isBehindProxy: !proxies.isEmpty, isDevelopment: settings.isDevelopment, certificate: certificate(settings))
  }

  private func backup(_ settings: FolderSettings) -> BackupCheck {
    let last = BackupMarker.read(in: folder)
    return BackupCheck(
      nowSeconds: now, lastSeconds: last.map { $0.instantMilliseconds / 1_000 }, location: last?.repository,
      isDevelopment: settings.isDevelopment, hasTimer: hasTimer)
  }

  /// True when the package has a timer for backups of this folder.
  private var hasTimer: Bool {
    guard case .folder(let path, _)? = try? TargetSources.installedPackage else { return false }
    return path == TextFile.absolute(folder) && FileVersion(of: "/lib/systemd/system/hearth-backup.timer") != nil
  }

  private func journal(_ url: String) -> JournalCheck {
    let engine = try? JournalEngines.engine(of: url)
    var check = JournalCheck(
      product: JournalEngines.product(of: url), code: engine?.code ?? "journal", setUpAdvice: engine?.setUpAdvice ?? "",
      warnings: [], problem: nil)
    do { check.warnings = try DataFolderJournals(folder, JournalLocation(url: url)).warnings } catch {
      check.problem = "\(error)"
    }
    return check
  }

  private func certificate(_ settings: FolderSettings) -> NetworkCheck.Certificate? {
    guard let path = settings.certificatePath, let key = settings.certificateKeyPath else { return nil }
    do {
      return .until(try TLSFiles(certificatePath: path, keyPath: key).read().validity.notAfterSeconds)
    } catch {
      return .unusable(error.description)
    }
  }

  private func configured(_ settings: FolderSettings) throws -> HearthServer.Options {
    try HearthServer.Options(dataDirectory: folder, settings: settings)
  }

  private func configuration(_ settings: FolderSettings) -> [Finding] {
    do { _ = try configured(settings) } catch {
      return [
        Finding(
          "configuration-unusable", .error, "the accounts configuration cannot be used: \(error)",
          advice: "correct the file; the next start fails")
      ]
    }
    guard let path = settings.authConfigPath, let mode = FolderProbe.mode(of: path),
      let text = try? TextFile.read(path), let json = try? ConfigurationText.parse(Array(text.utf8))
    else { return [] }
    return ConfigurationCheck(path: path, mode: mode, settings: json).findings
  }

  // MARK: With one

  private func storage(
    _ files: FolderProbe, _ settings: FolderSettings, _ process: ServerProcess?, _ running: HTTPClient?
  ) async throws -> [Finding] {
    var health: (databases: String, accounts: String)?
    if let running {
      let answer = JSON(parsing: try await running.send(method: .GET, target: "/.ready", body: nil).body)
      health = (answer?["databases"]?.string ?? "unknown", answer?["accounts"]?.string ?? "unknown")
    }
    let storage = StorageCheck(
      journals: files.journals.map { path in
        StorageCheck.Journal(path: path, format: (try? JournalEngines.folder.format(path)) ?? nil)
      }, formats: JournalEngines.folder.formats, health: health,
      product: settings.journal.map(JournalEngines.product) ?? JournalEngines.products,
      isReplaced: running != nil && process?.isReplaced == true)
    let plugins = PluginCheck(try await options.status().plugins.map(PluginCheck.Plugin.init))
    return storage.findings + plugins.findings
  }

  private func rules(
    _ files: FolderProbe, _ settings: FolderSettings, _ running: HTTPClient?
  ) async throws -> [Finding] {
    if let running { return try await RulesProbe(http: running, nowMilliseconds: now * 1000).findings() }
    guard files.isOwnedByThisUser else {
      return [Finding(unchecked: "rules-world-writable", "a stopped folder can be checked only by its owner")]
    }
    let server = try await FolderServer(dataDirectory: folder, settings: settings)
    do {
      var probe = RulesProbe(
        http: HTTPClient(address: server.address, token: try options.data.openKeys().adminToken),
        nowMilliseconds: now * 1000)
      probe.sharedRules = settings.rulesPath
      let findings = try await probe.findings()
      await server.stop()
      return findings
    } catch {
      await server.stop()
      throw error
    }
  }
}

extension PluginCheck.Plugin {
  /// Creates a plugin as a server or the folder describes it.
  fileprivate init(_ json: JSON) {
    self.init(
      name: json["name"]?.string ?? "", state: json["state"]?.string ?? "unknown",
      isEnabled: json["isEnabled"]?.bool ?? false, problem: json["problem"]?.string,
      restartCount: json["restarts"]?.int ?? 0)
  }
}
