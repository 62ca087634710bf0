import ArgumentParser
import HearthAccounts
import HearthBytes
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
      "Use this server instead of the one on the --data folder.",
      valueName: "url"))
  var server: ServerAddress?

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the administrator's access token for --server; if not given, the --data folder's token.",
      valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      "PEM certificates to trust for --server, instead of the system's. A folder's own server needs none.",
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

  @Flag(help: "Answer in JSON, for scripts.")
  var json = false

  func validate() throws {
    if let project { try ProjectOption.validate(project) }
    try validateAccounts()
    guard let server else {
      guard tokenFile == nil, resolve == nil else {
        throw ValidationError("--token-file and --resolve go with --server.")
      }
      return
    }
    if let resolve, !resolve.matches(server) {
      throw ValidationError("--resolve \(resolve) is not about --server \(server): its name and port must be the same.")
    }
    if !server.isTLS, !(resolve.map { IPAddress.isLoopback(host: $0.address) } ?? server.isLoopback) {
      throw ValidationError("--server \(server) would send the administrator's token in clear; use https://.")
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
    let settings = FolderSettings.read(in: data.data).with(self)
    let channel = try FolderChannel(data: data, settings: settings, keys: try data.openKeys())
    return (channel, channel.projectID)
  }

  /// Returns the client of the server to call: the server of `--server`, which is not tried here, or the one that has
  /// the folder open. Nil when no server answers for the folder; opening it then fails if another process has it open.
  func server() async throws -> HTTPClient? {
    if let server {
      var client = HTTPClient(address: server, token: try token())
      if let caFile { client.trust = .authorities(path: caFile) }
      if let resolve { client.route = .resolved(resolve.address) }
      return client
    }
    let client = try HTTPClient(dataDirectory: data.data, token: try data.openKeys().adminToken)
    if caFile != nil { Output.note("hearth: --ca-file is not needed without --server: commands use \(client.place)") }
    return try await client.isAnswered() ? client : nil
  }

  private func token() throws -> String {
    guard let tokenFile else { return try data.openKeys().adminToken }
    let line = try TextFile.read(tokenFile).split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    guard !line.isEmpty, line.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ValidationError("\(tokenFile) does not begin with a token.")
    }
    return line
  }
}
