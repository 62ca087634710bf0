import HearthCommandLine
import Testing

@Suite struct TargetSourcesTests {
  private func server(_ name: String, pid: Int32 = 1) -> DevelopmentServer {
    DevelopmentServer(
      process: ServerProcessID(id: pid, startTicks: 1, bootID: "b"), projectFolder: "/app", dataFolder: "/tmp/\(name)",
      url: "http://127.0.0.1:900\(pid)")
  }

  @Test func `a flag comes before everything else`() throws {
    var sources = TargetSources()
    sources.folderFlag = "/flag"
    sources.folderVariable = "/variable"
    sources.serverVariable = "http://127.0.0.1:9"
    sources.developmentServers = [server("a"), server("b", pid: 2)]
    sources.installed = .folder("/var/lib/hearth", file: "/etc/hearth/hearth.conf")
    #expect(try sources.target() == CommandTarget(.folder("/flag"), from: .flag))
    sources.serverFlag = "https://db.example.com"
    #expect(
      try sources.target() == CommandTarget(.server(url: "https://db.example.com", tokenFolder: "/flag"), from: .flag))
  }

  @Test func `the environment comes before running servers`() throws {
    var sources = TargetSources()
    sources.folderVariable = "/variable"
    sources.developmentServers = [server("a")]
    #expect(try sources.target() == CommandTarget(.folder("/variable"), from: .environment("HEARTH_DATA")))
    sources.serverVariable = "http://127.0.0.1:9"
    #expect(
      try sources.target()
        == CommandTarget(
          .server(url: "http://127.0.0.1:9", tokenFolder: "/variable"), from: .environment("HEARTH_SERVER")))
    (sources.folderVariable, sources.serverVariable) = ("", "")
    #expect(try sources.target().folder == "/tmp/a")
  }

  @Test func `the development server of the folder comes before the package`() throws {
    var sources = TargetSources()
    sources.installed = .folder("/var/lib/hearth", file: "/etc/hearth/hearth.conf")
    sources.currentFolder = .stopped
    sources.developmentServers = [server("a")]
    #expect(try sources.target().origin == .developmentServer(url: "http://127.0.0.1:9001"))
    sources.developmentServers = []
    #expect(try sources.target() == CommandTarget(.folder("data"), from: .currentFolder))
    sources.currentFolder = .missing
    #expect(
      try sources.target() == CommandTarget(.folder("/var/lib/hearth"), from: .package("/etc/hearth/hearth.conf")))
    sources.installed = .missing
    #expect(try sources.target() == CommandTarget(.folder("data"), from: .fallback))
  }

  @Test func `two running servers are refused and listed`() throws {
    var sources = TargetSources()
    sources.developmentServers = [server("a"), server("b", pid: 2)]
    let problem = #expect(throws: TargetProblem.self) { try sources.target() }
    #expect(problem?.description.contains("--data /tmp/a ") == true)
    #expect(problem?.description.contains("--data /tmp/b ") == true)
    sources.developmentServers = [server("a")]
    sources.currentFolder = .running(url: "http://127.0.0.1:9000")
    sources.currentFolderPath = "/app/data"
    #expect(throws: TargetProblem.self) { try sources.target() }
  }

  @Test func `a development server of the default folder is one server`() throws {
    var sources = TargetSources()
    sources.developmentServers = [server("data")]
    sources.currentFolder = .running(url: "http://127.0.0.1:9001")
    sources.currentFolderPath = "/tmp/data"
    #expect(try sources.target().folder == "/tmp/data")
    sources.developmentServers = []
    #expect(try sources.target() == CommandTarget(.folder("data"), from: .currentFolder))
  }

  @Test func `an option file that this user may not read names the server's user`() {
    var sources = TargetSources()
    sources.installed = .unreadable(file: "/etc/hearth/hearth.conf")
    let problem = #expect(throws: TargetProblem.self) { try sources.target() }
    #expect(problem?.description.contains("sudo -u hearth") == true)
    sources.currentFolder = .stopped
    #expect((try? sources.target().folder) == "data")
  }

  @Test func `a server that a flag names gets no token of a development server`() throws {
    var sources = TargetSources()
    sources.serverFlag = "https://db.example.com"
    sources.developmentServers = [server("a")]
    sources.installed = .folder("/var/lib/hearth", file: "/etc/hearth/hearth.conf")
    #expect(try sources.target().folder == "data")
  }
}
