import HearthTree
import Testing

@testable import HearthDoctor

/// Tests of the doctor's checks with given measurements, independent of the machine.
@Suite struct DoctorTests {
  private func seen(_ findings: [Finding]) -> [String] { findings.map { "\($0.severity.rawValue) \($0.code)" } }

  // MARK: Backups

  @Test("a folder without a recent backup is a warning, and a notice on a development server")
  func backups() {
    func check(_ last: Int64?, _ isDevelopment: Bool = false) -> [String] {
      seen(
        BackupCheck(nowSeconds: 1_000_000, lastSeconds: last, location: "/backups", isDevelopment: isDevelopment)
          .findings)
    }
    #expect(check(nil) == ["warning backup-none"] && check(nil, true) == ["notice backup-none"])
    #expect(check(1_000_000 - 172_801) == ["warning backup-old"] && check(0, true) == ["notice backup-old"])
    #expect(check(1_000_000 - 172_800) == ["ok backup"] && check(1_000_100) == ["ok backup"])
    #expect(check(.min) == ["warning backup-old"])
  }

  // MARK: Files

  private func entry(_ path: String, _ mode: UInt32, _ role: FileCheck.Role, owner: UInt32 = 7) -> FileCheck.Entry {
    FileCheck.Entry(path: path, mode: mode, ownerID: owner, role: role)
  }

  @Test("a folder that only its owner can enter needs no other protection")
  func closedFolder() {
    let check = FileCheck([
      entry("data", 0o700, .dataFolder), entry("data/keys", 0o700, .secret), entry("data/a.sqlite", 0o644, .data),
    ])
    #expect(seen(check.findings) == ["ok files"])
  }

  @Test("each file that other users can access is named, and a file of another owner")
  func openFiles() {
    let check = FileCheck([
      entry("data", 0o755, .dataFolder), entry("data/keys", 0o750, .secret),
      entry("data/keys/admin-token", 0o640, .secret),
      entry("data/a.sqlite", 0o640, .data, owner: 8), entry("data/b.sqlite", 0o600, .data),
    ])
    #expect(
      seen(check.findings) == [
        "warning folder-open", "error secret-readable", "error secret-readable", "error foreign-owner",
        "warning data-readable",
      ])
    #expect(check.findings[1].advice?.hasPrefix("chmod 700 'data/keys'") == true)
    #expect(check.findings[2].advice?.hasPrefix("chmod 600 ") == true)
    let key = [entry("data", 0o700, .dataFolder), entry("/etc/key.pem", 0o640, .certificateKey, owner: 0)]
    #expect(seen(FileCheck(key).findings) == ["ok files"])
    let open = [entry("data", 0o700, .dataFolder), entry("/etc/key.pem", 0o644, .certificateKey, owner: 0)]
    #expect(seen(FileCheck(open).findings) == ["error certificate-key-readable"])
    #expect(seen(FileCheck([entry("data", 0o770, .dataFolder)]).findings) == ["error folder-writable"])
  }

  // MARK: Disk

  private func disk(
    _ microseconds: [Int64], _ kind: DiskCheck.Kind, freeMegabytes: Int64 = 1_000, dataMegabytes: Int64 = 10
  ) -> [String] {
    seen(
      DiskCheck(
        syncNanoseconds: microseconds.map { $0 * 1_000 }, kind: kind, freeBytes: freeMegabytes << 20,
        warnBytes: 512 << 20, stopBytes: 64 << 20, dataBytes: dataMegabytes << 20
      ).findings)
  }

  @Test("a sync is slow, plausible, or too fast for a disk; a single slow sync is no finding")
  func syncs() {
    #expect(disk([300, 400, 90_000], .solid) == ["ok sync", "ok disk-room"])
    #expect(disk([25_000, 26_000, 300], .solid) == ["warning sync-slow", "ok disk-room"])
    #expect(disk([60, 70, 9_000], .rotating) == ["warning sync-implausible", "ok disk-room"])
    #expect(disk([6_000, 8_000, 9_000], .rotating) == ["ok sync", "ok disk-room"])
    // The disk behind a virtual machine's host is not judged.
    #expect(disk([60, 70, 80], .virtual) == ["ok sync", "notice disk-virtual", "ok disk-room"])
    #expect(disk([60, 70, 80], .unknown) == ["ok sync", "ok disk-room"])
    #expect(disk([], .solid) == ["notice sync-slow", "ok disk-room"])
  }

  @Test("a memory file system is an error, and a network one a warning; space must suffice for a snapshot")
  func places() {
    #expect(disk([2], .memory("tmpfs")) == ["error disk-volatile", "ok sync", "ok disk-room"])
    #expect(disk([900], .network("nfs")) == ["warning disk-network", "ok sync", "ok disk-room"])
    #expect(disk([900], .solid, freeMegabytes: 600, dataMegabytes: 601) == ["ok sync", "warning disk-room"])
    #expect(disk([900], .solid, freeMegabytes: 63) == ["ok sync", "error disk-full"])
    #expect(disk([900], .solid, freeMegabytes: 511) == ["ok sync", "warning disk-low"])
  }

  // MARK: Machine

  private func machine(_ change: (inout MachineCheck) -> Void = { _ in }) -> [String] {
    var check = MachineCheck(
      nowSeconds: 1_800_000_000, isSynchronised: true, newestFileSeconds: 1_799_999_000, openFilesMax: 65_536,
      memoryBytes: 8 << 30, dataBytes: 1 << 30, residentBytes: nil)
    change(&check)
    return seen(check.findings)
  }

  @Test("the clock is compared with the kernel's status, with the data and with this program's age")
  func clock() {
    #expect(machine() == ["ok clock", "ok open-files", "ok memory"])
    #expect(machine { $0.isSynchronised = false }.first == "notice clock-unsynchronised")
    #expect(machine { $0.isSynchronised = nil }.first == "notice clock-unsynchronised")
    #expect(machine { $0.newestFileSeconds = 1_800_000_061 }.first == "error clock-behind")
    #expect(machine { $0.newestFileSeconds = 1_800_000_060 }.first == "ok clock")
    #expect(machine { $0.newestFileSeconds = .min }.first == "ok clock")
    #expect(machine { $0.newestFileSeconds = .max }.first == "error clock-behind")
    #expect(machine { $0.nowSeconds = 1_700_000_000 }.first == "error clock-wrong")
  }

  @Test("open files and memory: the limits of a running server, otherwise the needs of the data")
  func room() {
    #expect(machine { $0.openFilesMax = 1_024 }[1] == "warning open-files")
    #expect(machine { $0.dataBytes = 5 << 30 }[2] == "warning memory")
    #expect(machine { ($0.dataBytes, $0.residentBytes) = (5 << 30, 2 << 30) }[2] == "ok memory")
    #expect(machine { $0.residentBytes = 7 << 30 }[2] == "warning memory")
    #expect(machine { $0.memoryBytes = 0 }[2] == "notice memory")
    #expect(machine { ($0.dataBytes, $0.cacheBytes) = (50 << 30, 4 << 30) }[2] == "ok memory")
    #expect(machine { $0.cacheBytes = (4 << 30) + 1 }[2] == "warning memory")
  }

  // MARK: Network

  private func network(
    _ certificate: NetworkCheck.Certificate?, reachable: Bool = true, proxy: Bool = false, dev: Bool = false
  ) -> [String] {
    seen(
      NetworkCheck(
        nowSeconds: 1_800_000_000, isReachable: reachable, isBehindProxy: proxy, isDevelopment: dev,
        certificate: certificate
      ).findings)
  }

  @Test("a certificate's remaining days are checked; a port without one is for this machine or a proxy")
  func certificates() {
    #expect(network(.until(1_800_000_000 + 14 * 86_400)) == ["ok certificate"])
    #expect(network(.until(1_800_000_000 + 14 * 86_400 - 1)) == ["warning certificate-ending"])
    #expect(network(.until(1_799_999_999)) == ["error certificate-ended"])
    #expect(network(.unusable("no key")) == ["error certificate-unusable"])
    #expect(network(nil) == ["error plain-text"])
    #expect(network(nil, proxy: true) == ["notice plain-text"])
    #expect(network(nil, reachable: false) == ["ok network"])
    #expect(network(nil, reachable: false, dev: true) == ["ok network"])
    #expect(network(.until(1_900_000_000), dev: true) == ["ok certificate", "warning development-reachable"])
  }

  // MARK: Rules

  private func rules(_ openings: [(requiresSignIn: Bool, isWrite: Bool, path: String)], undecided: Int = 0) -> [String]
  {
    seen(
      RulesCheck(
        database: "default",
        openings: openings.map {
          RulesCheck.Opening(requiresSignIn: $0.requiresSignIn, isWrite: $0.isWrite, path: $0.path)
        }, undecidedCount: undecided
      ).findings)
  }

  @Test("open rules weigh more at the root than below it, and open writes more than open reads")
  func openRules() {
    #expect(rules([]) == ["ok rules"])
    #expect(rules([(false, true, "/")]) == ["error rules-world-writable"])
    #expect(rules([(false, true, "/guests")]) == ["warning rules-world-writable"])
    #expect(rules([(false, false, "/")]) == ["error rules-world-readable"])
    #expect(rules([(false, false, "/news")]) == ["notice rules-world-readable"])
    #expect(rules([(true, true, "/")]) == ["error rules-user-writable"])
    #expect(rules([(true, false, "/")]) == ["warning rules-user-readable"])
    #expect(
      rules([(true, false, "/a"), (true, true, "/a")], undecided: 2) == [
        "notice rules-user-writable", "notice rules-user-readable", "notice rules-world-writable",
      ])
  }

  @Test("of many locations some are named and the others counted")
  func manyPlaces() {
    let openings = (1...7).map { RulesCheck.Opening(requiresSignIn: false, isWrite: false, path: "/p\($0)") }
    let text = RulesCheck(database: "d", openings: openings, undecidedCount: 0).findings.first?.text
    #expect(text?.hasSuffix("/p1, /p2, /p3, /p4, /p5 and 2 more paths") == true)
  }

  // MARK: Configuration

  @Test("secrets in a file are reported by their place and never printed; a world-readable file is worse")
  func configuration() throws {
    let text =
      #"{"mail":{"smtp":{"username":"u","password":"hunter2","passwordFile":"/p"}},"oidc":[{"clientSecret":"s"}]}"#
    let settings = try #require(JSON(parsing: text.utf8))
    let closed = ConfigurationCheck(path: "a.json", mode: 0o640, settings: settings).findings
    #expect(seen(closed) == ["notice secret-in-configuration"])
    #expect(closed[0].text == "a.json contains secrets: mail.smtp.password, oidc[0].clientSecret")
    #expect(
      seen(ConfigurationCheck(path: "a.json", mode: 0o644, settings: settings).findings) == [
        "error secret-in-configuration"
      ])
    let none = try #require(JSON(parsing: #"{"mail":{"smtp":{"passwordFile":"/p","password":""}}}"#.utf8))
    #expect(seen(ConfigurationCheck(path: "a.json", mode: 0o644, settings: none).findings) == ["ok configuration"])
  }

  // MARK: Plugins, storage

  private func plugin(_ state: String, enabled: Bool = true, restarts: Int64 = 0) -> PluginCheck.Plugin {
    PluginCheck.Plugin(name: "p", state: state, isEnabled: enabled, problem: nil, restartCount: restarts)
  }

  @Test("an enabled plugin that does not run is an error; a disabled one is no finding")
  func plugins() {
    #expect(PluginCheck([]).findings.isEmpty)
    #expect(seen(PluginCheck([plugin("running"), plugin("disabled", enabled: false)]).findings) == ["ok plugins"])
    #expect(seen(PluginCheck([plugin("quarantined", restarts: 3)]).findings) == ["error plugin-down"])
    #expect(seen(PluginCheck([plugin("running", restarts: 3)]).findings) == ["ok plugins", "notice plugin-restarted"])
  }

  @Test("files of other owners and of later versions are errors; so are unwritable ones")
  func storage() {
    func check(_ format: Int64?, health: (String, String)? = nil, isReplaced: Bool = false) -> [String] {
      seen(
        StorageCheck(
          journals: [.init(path: "a.sqlite", format: format)], formats: 1...2, health: health,
          product: "PostgreSQL", isReplaced: isReplaced
        ).findings)
    }
    #expect(check(2) == ["ok formats"])
    #expect(check(3) == ["error format-newer"])
    #expect(check(nil) == ["error format-foreign"])
    #expect(check(1, health: ("ok", "ok")) == ["ok formats", "ok server"])
    #expect(check(1, health: ("no-space", "failed")) == ["ok formats", "error write-no-space", "error write-failed"])
    #expect(check(1, health: ("disk-fault", "ok")) == ["ok formats", "error write-disk-fault"])
    #expect(check(1, health: ("ok", "ok"), isReplaced: true).last == "notice server-outdated")
    #expect(
      check(1, health: ("storage-away", "storage-away")) == [
        "ok formats", "error write-storage-away", "error write-storage-away",
      ])
  }

  @Test("each misconfiguration of a PostgreSQL is a warning; an unreachable one is an error")
  func postgres() {
    func check(_ warnings: [String], _ problem: String? = nil) -> [String] {
      seen(
        JournalCheck(
          product: "PostgreSQL", code: "postgres", setUpAdvice: "read the guide", warnings: warnings, problem: problem
        ).findings)
    }
    #expect(check([]) == ["ok postgres"])
    #expect(check(["a", "b"]) == Array(repeating: "warning postgres-setup", count: 2))
    #expect(check([], "no answer") == ["error postgres-unusable"])
  }

  // MARK: Report

  @Test("findings are sorted by severity, then by check; warnings have an advice, notices do not")
  func report() {
    let report = DoctorReport([
      Finding(ok: "a", "fine"), Finding("b", .warning, "w", advice: "do"), Finding("c", .error, "e", advice: "do"),
      Finding("d", .warning, "w", advice: "do"), Finding(unchecked: "e", "no"),
    ])
    #expect(report.findings.map(\.code) == ["c", "b", "d", "e", "a"])
    #expect(report.summary == "1 error, 2 warnings, 1 notice, 1 ok" && report.needsAction)
    #expect(report.json["worst"]?.string == "error")
    #expect(report.json["findings"]?.array?.first?["advice"]?.string == "do")
    let calm = DoctorReport([Finding(unchecked: "e", "no")])
    #expect(!calm.needsAction && calm.summary == "1 notice")
    #expect(DoctorReport([]).json["worst"]?.string == "ok")
  }
}
