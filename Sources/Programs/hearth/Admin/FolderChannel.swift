import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthIdentity
import HearthProgram
import HearthServer
import HearthTransport
import HearthTree

/// The channel to a stopped data folder: the command itself opens the accounts, as the server would.
final class FolderChannel: AdminChannel {
  private let engine: ServerJournals
  private let opened: OpenedAccounts
  private var accounts: AccountsDirectory { opened.accounts }
  private let dataDirectory: String

  var projectID: String { accounts.own.configuration.projectID }
  var isServer: Bool { false }
  var place: String { "the folder \(dataDirectory)" }

  /// - Throws: ``AdminFailure`` when another process has the folder open, or a server's error about the settings.
  init(dataDirectory: String, settings: FolderSettings, keys: KeyStore) throws {
    self.dataDirectory = dataDirectory
    let options = try HearthServer.Options(dataDirectory: dataDirectory, settings: settings)
    do {
      engine = try ServerJournals(options.journal, dataDirectory: dataDirectory, logger: options.logger)
      do {
        opened = try OpenedAccounts.open(options, engine, keys: keys, environment: .ofCommand) { _, _ in nil }
        do { try opened.keepEvents(options) } catch {
          opened.store.close()
          throw error
        }
      } catch {
        engine.close()
        throw error
      }
    } catch {
      throw AdminFailure(
        "\(error). To use a running server, name its data folder with --data, or the server with --server and "
          + "--token-file.")
    }
  }

  func send(_ request: AdminRequest) async throws -> JSON {
    if request.path == ReceiptRequest.path { return ReceiptRequest.answer(request, dataDirectory: dataDirectory) }
    let identity = IdentityRequest(
      method: request.method, path: request.path, query: request.query,
      contentType: request.body == nil ? nil : "application/json", body: request.body.map { $0.text() } ?? [],
      bearer: .verified(.operator(name: "cli")), client: .commandLine, now: WallClock.instant)
    guard let answer = await IdentityEndpoints(accounts).handle(identity) else {
      throw AdminFailure("\(place): \(request.path) is not supported")
    }
    let json = JSON(parsing: answer.body)
    guard (200..<300).contains(answer.status) else {
      throw AdminFailure(answer: json, status: answer.status, place: place)
    }
    guard let json else { throw AdminFailure("\(place) returned a response that is not JSON") }
    return json
  }

  /// Waits for the disk; no other work of the process needs the thread.
  func close() async {
    opened.store.close()
    engine.close()
  }
}

extension AccountsEnvironment {
  /// The clocks, randomness and notices of the accounts for a command.
  fileprivate static var ofCommand: AccountsEnvironment {
    AccountsEnvironment(
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
  }
}
