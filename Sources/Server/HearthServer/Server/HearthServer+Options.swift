import HearthAccounts
import HearthClusterNode
import HearthDatabase
import HearthMetrics
import HearthPlugin
import HearthSystem
import HearthTransport
import Logging

extension HearthServer {
  /// The options of a node of a cluster.
  public typealias ClusterOptions = HearthClusterNode.ClusterOptions

  /// The configuration of a server, from which each of its parts gets its own. Files are read by the caller, except the
  /// two TLS files, which are read when the server starts and whenever they change.
  public struct Options: Sendable {
    /// The treatment of a namespace that has not been used yet.
    public enum Mode: Sendable {
      /// The mode in which only an administrator makes a database, by uploading rules for it.
      case serve
      /// A database is made by the first write or listen there, or an upload of its rules. A read makes none.
      case dev
    }

    /// A PEM certificate chain and its private key.
    public struct TLS: Sendable {
      /// The file of the certificate chain, in PEM.
      public var certificatePath: String
      /// The private key's file, in PEM, readable by the server alone.
      public var keyPath: String

      /// Creates a pair of files; neither is read yet.
      public init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
      }
    }

    /// Returns the folder, inside a data folder, that holds secrets and signing keys.
    public static func keysDirectory(of dataDirectory: String) -> String { dataDirectory + "/keys" }

    /// The address to listen on: an IPv4 or IPv6 address, or a host name.
    public var host: String
    /// The port; 0 lets the system pick one, which ``HearthServer/boundPort`` returns.
    public var port: Int
    /// The TLS files; nil for plain text. With TLS the port refuses plain text.
    public var tls: TLS?
    /// The folder of databases, keys and secrets. Made when absent.
    public var dataDirectory: String
    /// The location of the journals of databases and accounts. All other files stay in ``dataDirectory``.
    public var journal = JournalLocation.dataFolder
    /// The cluster of the server, whose journals are in one store; nil for a server by itself.
    public var cluster: ClusterOptions?
    /// The rules file's text. The default database gets it at every start; any other database has it as long as no
    /// rules are uploaded for it. When nil such a database denies all requests.
    public var rules: String?
    /// The path that ``rules`` was read from, for the history of the rules.
    public var rulesPath: String?
    /// The treatment of namespaces that have not been used yet.
    public var mode: Mode
    /// The database of a request that names none.
    public var defaultNamespace: String
    /// True when the operator chose the default database. Then an administrator's request that names none means it, for
    /// any operation.
    public var isDefaultNamed = false
    /// The number of event loops for sockets; 0 means one for each core.
    public var ioThreadCount = 0
    /// The configuration of accounts and sign-in. It includes the project and the emulator mode, which apply to every
    /// part of the server: an emulator is never served with TLS, and on another address than a loopback one only with
    /// ``emulatorAllows``.
    public var accounts: AccountsConfiguration
    /// The plugins that ``accounts`` switches on, ready for use.
    public var plugins: PluginSet
    /// True when a database secret by itself gives access to every database, as in the legacy protocol. Tokens signed
    /// with one are accepted either way.
    public var acceptsRawSecrets = true
    /// True when databases count the results of each part of their rules, for `/.inspect/coverage`. An emulator always
    /// does.
    public var countsRules = false
    /// The idle time in seconds after which a database is closed, until its next use; nil keeps all open. The default
    /// one always stays open.
    public var closesIdleAfterSeconds: Int?
    /// The retention of databases' history.
    public var history = HistoryRetention.none
    /// True when the author of each change is stored.
    public var recordsAuthors = false
    /// The memory for pages of large databases; nil when the data of databases is in memory. A database that has pages
    /// already keeps them in either case.
    public var pages: PageCache?
    /// The maximum memory for listens of a database in bytes; nil derives it from the memory that the process may use.
    var listensBytesMax: Int?
    /// The limits of each database that no other option determines.
    var databaseLimits = DatabaseLimits()
    /// The thresholds for low disk space; the default is no monitoring.
    public var space = SpaceThresholds.never
    /// Measures the free space.
    var measureSpace: @Sendable (_ folder: String) -> FileSystemSpace? = { FileSystemSpace(at: $0) }
    /// The maximum number of concurrent identity requests of all clients; more are told to retry. Each holds its body;
    /// the transport limits the memory for all bodies.
    public var identityRequestsMax = IdentityRequestLimiter.requestsMax
    /// The networks in CIDR notation whose clients an emulator treats as those of its own machine.
    public var emulatorAllows: [String] = []
    /// The ports of an emulator's parts; those beside ``port`` are opened, too. When nil there is no hub.
    public var emulatorPorts: EmulatorPorts?
    /// The export of the emulator hub, which writes all data into a folder; nil when the server's program has none.
    public var emulatorExport: (@Sendable (_ folder: String, _ databases: [String]) async throws -> Void)?
    /// True when events of triggers are sent; otherwise they are kept.
    public var sendsEvents = true
    /// The address of the functions emulator that gets events, `host:port`; nil when there is none.
    public var functionsEmulator: String?
    /// The options of the console.
    public var console = ConsoleOptions()
    /// The logger for operators. No secret is logged.
    public var logger: Logger
    /// The server's metrics, for `/.metrics`. A program that embeds servers can make it the process's own backend of
    /// swift-metrics; two servers that share one count together.
    public var metrics = MetricsRegistry()
    /// A file whose first line is a token that may read `/.metrics` and has no other access; nil for no such token.
    public var metricsTokenPath: String?
    /// The limit on the memory held for clients; nil derives it from this machine's memory.
    var memory: ClientMemory?

    /// - Parameters:
    ///   - accounts: the configuration of accounts; nil takes the defaults, with links to the listening address.
    ///   - plugins: without any, users can sign in only with the credentials of the database.
    public init(
      dataDirectory: String, host: String = "127.0.0.1", port: Int = 9000, tls: TLS? = nil, rules: String? = nil,
      mode: Mode = .serve, defaultNamespace: String = "default", accounts: AccountsConfiguration? = nil,
      plugins: PluginSet = PluginSet(), logger: Logger = Logger(label: "hearth")
    ) {
      self.dataDirectory = dataDirectory
      self.host = host
      self.port = port
      self.tls = tls
      self.rules = rules
      self.mode = mode
      self.defaultNamespace = defaultNamespace
      self.accounts =
        accounts
        ?? AccountsConfiguration(publicURL: ServerFile.url(host: host, port: port, isEncrypted: tls != nil))
      self.plugins = plugins
      self.logger = logger
    }
  }
}
