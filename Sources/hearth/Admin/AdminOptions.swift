import ArgumentParser
import HearthAccounts
import HearthCrypto
import HearthServer
import HearthTree

/// How a command reaches the accounts, and how it answers.
struct AdminOptions: ParsableArguments {
  @OptionGroup var data: DataOption

  @Option(
    help: ArgumentHelp(
      "Ask this server instead of the one on the --data folder.",
      valueName: "url"))
  var server: ServerAddress?

  @Option(
    help: ArgumentHelp(
      "The administrator's access token for --server: the file's first line. Without it, the --data folder's token.",
      valueName: "file"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("PEM certificates to trust for --server, instead of the system's.", valueName: "file"))
  var caFile: String?

  @OptionGroup var accounts: AccountsFlags

  @Flag(help: "Answer in JSON, for scripts.")
  var json = false

  func validate() throws {
    guard server != nil || (tokenFile == nil && caFile == nil) else {
      throw ValidationError("--token-file and --ca-file go with --server.")
    }
    if let server, !server.isTLS, !server.isLoopback {
      throw ValidationError("--server \(server) would send the administrator's token in clear; use https://.")
    }
  }

  /// Opens a channel, does the work over it and closes it, whatever happens.
  func run<Value>(_ work: (Administration) async throws -> Value) async throws -> Value {
    let (channel, projectID) = try await open()
    do {
      let value = try await work(
        Administration(channel: channel, projectID: projectID, printsJSON: json))
      await channel.close()
      return value
    } catch {
      await channel.close()
      throw error
    }
  }

  private func open() async throws -> (any AdminChannel, projectID: String) {
    if let server {
      let trust = caFile.map { HTTPClient.Trust.authorities(path: $0) } ?? .system
      let channel = ServerChannel(client: HTTPClient(address: server, trust: trust, token: try token()))
      return (channel, try await projectID(of: channel))
    }
    let settings = FolderSettings.read(in: data.data).with(accounts)
    let keys = try data.openKeys()
    if let file = ServerFile.read(dataDirectory: data.data), file.isAlive,
      let address = ServerAddress(argument: file.url)
    {
      let trust = settings.certificatePath.map { HTTPClient.Trust.certificates(path: $0) } ?? .system
      let channel = ServerChannel(client: HTTPClient(address: address, trust: trust, token: keys.adminToken))
      do {
        return (channel, try await projectID(of: channel))
      } catch let failure as HTTPClient.Failure where failure.isRefusedConnection {
        // The process that has the number now is another one: the server was killed. The folder's own lock tells for
        // sure when it is opened.
      }
    }
    let channel = try FolderChannel(data: data, settings: settings, keys: keys)
    return (channel, channel.projectID)
  }

  func token() throws -> String {
    guard let tokenFile else { return try data.openKeys().adminToken }
    let line = try TextFile.read(tokenFile).split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    guard !line.isEmpty, line.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ValidationError("\(tokenFile) does not begin with a token.")
    }
    return line
  }

  /// The server knows best which project it serves.
  private func projectID(of channel: ServerChannel) async throws -> String {
    guard let projectID = try await channel.send(.hearth("status"))["projectID"]?.string else {
      throw AdminFailure("\(channel.place) did not say which project it serves; is it another kind of server?")
    }
    return projectID
  }
}
