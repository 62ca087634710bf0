import ArgumentParser
import HearthAccounts
import HearthBytes
import HearthCommandLine
import HearthCrypto
import HearthProgram
import HearthServer
import HearthTree

/// The flags for the access to a server or data folder, for its accounts, and for the format of output. The flags of
/// accounts are members of this type, because a nested group slows the start of debug builds: see ``ServerCommand``.
struct AdminOptions: AccountsFlags {
  @OptionGroup var data: DataOption

  @Option(
    help: ArgumentHelp(
      "Use this server instead of the server of the data folder. (HEARTH_SERVER)",
      valueName: "url"))
  var server: ServerAddress?

  @Option(
    help: ArgumentHelp(
      "A file whose first line is an administrator's access token for --server. If not given, the token in the data folder.",
      valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "PEM certificates to trust for --server, instead of the system's.",
      valueName: "file"))
  var caFile: String?

  @Option(
    help: ArgumentHelp(
      "Connect to this IP address for --server's name and port; the certificate must be for the name.",
      valueName: "host:port:address"))
  var resolve: ResolvedAddress?

  @Option(help: AccountsHelp.authConfig) var authConfig: String?
  @Option(help: AccountsHelp.signIn) var signIn: String?
  @Option(help: ProjectOption.help) var project: String?
  @Option(help: AccountsHelp.publicUrl) var publicUrl: String?

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  func validate() throws {
    if let project { try ProjectOption.validate(project) }
    try validateAccounts()
    guard let server else {
      guard resolve == nil else { throw ValidationError("--resolve needs --server.") }
      let isServerKnown = TargetSources.variable(CommandTargetDefaults.serverVariable)?.isEmpty == false
      guard tokenFile == nil || isServerKnown && data.given == nil else {
        throw ValidationError("--token-file needs --server.")
      }
      return
    }
    try validate(server)
  }

  private func validate(_ server: ServerAddress) throws {
    if let resolve, !resolve.matches(server) {
      throw ValidationError("--resolve \(resolve) must have the name and port of --server \(server).")
    }
    if !server.isTLS, !(resolve.map { IPAddress.isLoopback(host: $0.address) } ?? server.isLoopback) {
      throw ValidationError("\(server) would receive the administrator's token unencrypted; use https://.")
    }
  }

  /// Opens a channel, does the work over it, and closes it also when the work throws.
  ///
  /// - Parameter tenant: The tenant of the accounts; nil for the project's own.
  func run<Value>(
    in tenant: TenantOption? = nil, _ work: (Administration) async throws -> Value
  ) async throws -> Value {
    let (channel, projectID) = try await open()
    do {
      let value = try await work(
        Administration(channel: channel, projectID: projectID, tenant: tenant?.tenant, printsJSON: json))
      await channel.close()
      return value
    } catch {
      await channel.close()
      throw error
    }
  }

  private func open() async throws -> (any AdminChannel, projectID: String) {
    if let client = try await server() {
      let channel = ServerChannel(client: client)
      return (channel, try await channel.projectID())
    }
    let folder = try folder()
    let settings = FolderSettings.read(in: folder).with(self)
    let channel = try FolderChannel(dataDirectory: folder, settings: settings, keys: try DataOption.keys(in: folder))
    return (channel, channel.projectID)
  }

  /// Decides the target: `--server`, `--data`, or what ``CommandTarget/find(folder:server:canBeServer:)`` finds.
  func target() throws -> CommandTarget {
    try CommandTarget.find(folder: data.given, server: server?.description, canBeServer: true)
  }

  /// Returns the path of the data folder: that of the target, or the one with the administrator's token.
  func folder() throws -> String { try target().folder }

  /// True when the target is a server's URL and not a folder.
  func isRemote() throws -> Bool {
    if case .server = try target().location { true } else { false }
  }

  /// Returns the client of the server to call: the server of `--server`, which is not tried here, or the one that has
  /// the folder open. Nil when no server answers for the folder; opening it then fails if another process has it open.
  func server() async throws -> HTTPClient? {
    let target = try target()
    if case .server(let url, _) = target.location {
      guard let address = server ?? ServerAddress(argument: url) else {
        throw ValidationError(
          "\(CommandTargetDefaults.serverVariable) must be the URL of a server, such as https://db.example.com.")
      }
      try validate(address)
      var client = HTTPClient(address: address, token: try token(target.folder))
      if let caFile { client.trust = .authorities(path: caFile) }
      if let resolve { client.route = .resolved(resolve.address) }
      return client
    }
    let client = try HTTPClient(
      dataDirectory: target.folder, token: try DataOption.keys(in: target.folder).adminToken)
    if caFile != nil { Output.note("hearth: --ca-file is not needed without --server: commands use \(client.place)") }
    return try await client.isAnswered() ? client : nil
  }

  private func token(_ folder: String) throws -> String {
    guard let tokenFile else { return try DataOption.keys(in: folder).adminToken }
    let line = try TextFile.read(tokenFile).split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    guard !line.isEmpty, line.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ValidationError("\(tokenFile) does not begin with a token.")
    }
    return line
  }
}
