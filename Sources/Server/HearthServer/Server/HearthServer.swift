import HearthRules
import NIOCore
import Synchronization

/// A server: one port, many databases. A program starts and stops it by this handle; it may be started again.
///
/// ```swift
/// let server = HearthServer(options: .init(dataDirectory: "data"))
/// try await server.start()
/// print(server.boundPort ?? 0)
/// await server.stop()
/// ```
public final class HearthServer: Sendable {
  /// The program's version.
  public static let version = "0.1.0"

  /// The options that the server was made with.
  public let options: Options

  private enum State {
    case idle
    case starting
    case running(ServerParts)
    case stopping
  }

  private let state = Mutex(State.idle)

  /// Creates a server that is not started; all operations that can fail are in ``start()``.
  public init(options: Options) {
    self.options = options
  }

  /// The port that is served; nil before ``start()`` and after ``stop()``.
  public var boundPort: Int? { parts?.transport.port }

  /// The existing databases, in order of name; none while the server is not running.
  public var databaseNames: [String] { parts?.databases.names ?? [] }

  /// The expiry, in seconds since 1970, of the certificate in force; nil without TLS and while the server is not
  /// running.
  public var certificateEndSeconds: Int64? { parts?.certificateMonitor?.validity.notAfterSeconds }

  /// The counts of the rules in force: of each open database, in order of name, and of reads of databases that do not
  /// exist yet, as the default one's. Empty when counting is off.
  package var rulesCoverages: [(database: String, coverage: RulesCoverage)] { parts?.databases.rulesCoverages ?? [] }

  /// The parts of the running server; nil before and after.
  var parts: ServerParts? {
    state.withLock { if case .running(let parts) = $0 { parts } else { nil } }
  }

  /// Opens the data directory, the default database and the port.
  ///
  /// - Throws: ``ServerError`` with a sentence for the operator.
  public func start() async throws(ServerError) {
    let mayStart = state.withLock { state -> Bool in
      guard case .idle = state else { return false }
      state = .starting
      return true
    }
    guard mayStart else { throw ServerError(.badOptions, "the server has already been started") }
    do {
      let parts = try await ServerParts(options)
      state.withLock { $0 = .running(parts) }
    } catch {
      state.withLock { $0 = .idle }
      throw error
    }
  }

  /// Makes readiness fail from now on, while requests are answered as before: load balancers then send no more of them.
  /// ``stop()`` is to follow.
  public func drain() { parts?.services.phase.value = .draining }

  /// Stops accepting connections, closes sockets with code 1001, lets journals finish and closes them. May be called
  /// twice.
  public func stop() async {
    let parts = state.withLock { state -> ServerParts? in
      guard case .running(let parts) = state else { return nil }
      state = .stopping
      return parts
    }
    guard let parts else { return }
    await parts.stop()
    state.withLock { $0 = .idle }
  }

  /// Reads the certificate's files at once and puts them in force; existing connections keep theirs. Invalid files
  /// leave the former ones in force. The log has the result. Without TLS the call has no effect.
  public func reloadCertificate() async { await parts?.certificateMonitor?.reloadNow() }

  /// Returns when every event loop has run a task: on a hanging server it does not return.
  public func waitForEventLoops() async {
    for loop in parts?.transport.loops ?? [] { try? await loop.eventLoop.submit {}.get() }
  }

  /// Deploys rules: to the database of that name; or, when nil (as a watched rules file does), to the default database,
  /// to every other one that still has the rules of the last such call or of ``Options/rules``, and to new ones.
  ///
  /// - Parameter path: the file that the text is from, for the history of the rules.
  /// - Throws: ``ServerError`` with code `.badRules`; its message begins with `line:column:`, and the former rules stay
  ///   in force.
  public func deployRules(
    _ text: String, to namespace: String? = nil, from path: String? = nil
  ) async throws(ServerError) {
    guard let parts else { throw ServerError(.notRunning, "the server is not running") }
    let rules = try Self.compile(text)
    if let namespace {
      try await parts.rules.deploy(rules, to: namespace, .file(path))
    } else {
      try await parts.rules.deployFile(rules, .file(path))
    }
  }

  /// Compiles rules.
  ///
  /// - Parameter file: the rules' file; each line of the message begins with it.
  static func compile(_ text: String, file: String? = nil) throws(ServerError) -> RuleSet {
    do {
      return try RuleSet.compile(text)
    } catch {
      let lines = error.diagnostics.map { "\(file.map { $0 + ":" } ?? "")\($0.line):\($0.column): \($0.message)" }
      throw ServerError(.badRules, lines.joined(separator: "\n"))
    }
  }
}
