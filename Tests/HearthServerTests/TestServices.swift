import Foundation
import HearthAccounts
import HearthConsole
import HearthCrypto
import HearthPluginHost
import HearthRules
import Logging
import NIOPosix
import ServerTestKit

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// The services that a server sets up before it opens its port.
struct TestServices {
  let services: GatewayServices
  let setup: OpenedAccounts
  /// The console's access, with no sessions except those that a test opens.
  let access = ConsoleAccess()
  /// The plugin host, without plugins.
  private let plugins: PluginHost
  private let options: HearthServer.Options
  /// The folder, which is removed with its last reference.
  private let folder: TemporaryFolder

  /// Runs `body` with services over their own folder, and closes them in any case.
  static func with(
    isEmulator: Bool = false, console: ConsoleOptions = .init(),
    _ body: (TestServices) async throws -> Void
  ) async throws {
    let test = try await TestServices(isEmulator: isEmulator, console: console)
    defer { test.setup.store.close() }
    try await body(test)
  }

  private init(isEmulator: Bool, console: ConsoleOptions) async throws {
    folder = try TemporaryFolder()
    let logger = Logger(label: "test") { _ in LogRecorder() }
    var options = HearthServer.Options(dataDirectory: folder.path, logger: logger)
    options.accounts.isEmulator = isEmulator
    options.console = console
    try FileManager.default.copyItem(atPath: try TestServer.keyFolder.get().path, toPath: folder.path + "/keys")
    self.options = options
    let keys = try ServerPlan.keys(options)
    let denials = DenialLog(logger: logger)
    let router = await EffectRouter(loops: [MultiThreadedEventLoopGroup.singleton.next()], denials: denials)
    let engine = try ServerJournals(.dataFolder, dataDirectory: folder.path, logger: logger)
    setup = try OpenedAccounts.open(options, engine, keys: keys, environment: .ofServer(logger)) { revocation, event in
      router.revoke(revocation, because: event)
    }
    let receivers = EventReceivers([])
    plugins = PluginHost.ofServer(options, setup, receivers)
    let databases = try DatabaseRegistry.ofServer(options, engine, rules: .denyAll, router: router)
    services = try GatewayServices.ofServer(
      options, setup, databases, router: router, proxies: .none, files: ServerFiles(DataDirectory(path: folder.path)),
      denials: denials,
      receivers: receivers, memory: .ofTest(),
      group: .singleton)
  }

  var authenticator: CallerAuthenticator { services.authenticator }

  var routes: ServerRoutes {
    ServerRoutes(
      services: services, identityLimiter: IdentityRequestLimiter(max: 10), hub: nil, plugins: plugins,
      erasures: ErasureQueue(folder: folder.path + "/erasures", services: services),
      console: Console(options, access, setup.accounts.own, LogRing()))
  }

  /// The routes of the port.
  var site: RouteList { routes.list(for: .port) }
}
