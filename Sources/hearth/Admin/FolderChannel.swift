import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthIdentity
import HearthProgram
import HearthSQLite
import HearthServer
import HearthTree

/// The channel into a stopped data folder: the command itself opens the accounts, as the server would.
final class FolderChannel: AdminChannel {
  private let accounts: Accounts
  private let dataDirectory: String

  var projectID: String { accounts.configuration.projectID }
  var isServer: Bool { false }
  var place: String { "the folder \(dataDirectory)" }

  /// - Throws: ``AdminFailure`` when another process has the folder open, and what a server would say of the settings.
  init(data: DataOption, settings: FolderSettings, keys: KeyStore) throws {
    dataDirectory = data.data
    let options = try HearthServer.Options(dataDirectory: data.data, settings: settings).accounts
    let environment = AccountsEnvironment(
      clock: { WallClock.instant }, random: .system,
      schedule: { milliseconds, work in
        Task.detached {
          try? await Task.sleep(for: .milliseconds(max(0, milliseconds)))
          work()
        }
      },
      notice: { notice in
        if notice.level != .info { Output.note("hearth: \(notice.text)") }
      })
    let store: AccountStore
    var limits = AccountStoreLimits()
    limits.auditRecordsMax = options.configuration.auditRecordsMax
    do {
      store = try AccountStore(
        journal: try SQLiteJournal(path: data.data + "/accounts.sqlite"), environment: environment,
        projectID: options.configuration.projectID, limits: limits)
    } catch {
      throw AdminFailure(
        "cannot open the accounts in \(data.data): \(error). A running server is found by "
          + "\(data.data)/\(LocalSocket.name); --server and --token-file name it otherwise.")
    }
    let ring = KeyRing(store: keys, projectID: options.configuration.projectID)
    accounts = Accounts(
      configuration: options.configuration, store: store, keys: ring, providers: options.providers,
      mailer: options.mailer, hooks: options.hooks, environment: environment, onRevocation: { _, _ in nil })
  }

  func send(_ request: AdminRequest) async throws -> JSON {
    if request.path == ReceiptRequest.path { return ReceiptRequest.answer(request, dataDirectory: dataDirectory) }
    let identity = IdentityRequest(
      method: request.method, path: request.path, query: request.query,
      contentType: request.body == nil ? nil : "application/json", body: request.body.map { $0.text() } ?? [],
      authority: .administrator("cli"), client: .commandLine, now: WallClock.instant)
    guard let answer = await IdentityEndpoints(accounts).handle(identity) else {
      throw AdminFailure("\(place): nothing serves \(request.path)")
    }
    let json = JSON(parsing: answer.body)
    guard (200..<300).contains(answer.status) else {
      throw AdminFailure(answer: json, status: answer.status, place: place)
    }
    guard let json else { throw AdminFailure("\(place) answered something that is not JSON") }
    return json
  }

  /// Waits for the disk. Nothing else of this process waits for the thread meanwhile.
  func close() async { accounts.store.close() }
}
