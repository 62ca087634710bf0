import HearthAccounts
import HearthClusterNode
import HearthDatabase
import HearthMetrics
import HearthPlugin
import HearthSystem
import HearthTransport
import Logging

extension HearthServer {
  /// What makes a server a node of a cluster.
  public typealias ClusterOptions = HearthClusterNode.ClusterOptions

  /// Everything a server is told when it is made: the one configuration, out of which each part of the server is handed
  /// what concerns it. Files are read by the caller, except the two TLS files, which are read
  /// when the server starts and whenever they change.
  public struct Options: Sendable {
    /// How a namespace that nobody has used yet is treated.
    public enum Mode: Sendable {
      /// A database comes into being only by an administrator's word: a rules upload that names it.
      case serve
      /// A database comes into being when somebody first writes or listens there, or uploads its rules. A read makes none.
      case dev
    }

    /// A PEM certificate chain and its private key.
    public struct TLS: Sendable {
      /// The certificate, then those above it.
      public var certificatePath: String
      /// Readable by the server alone.
      public var keyPath: String

      /// Two files; neither is read yet.
      public init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
      }
    }

    /// The folder, inside a data folder, that holds secrets and signing keys.
    public static func keysDirectory(of dataDirectory: String) -> String { dataDirectory + "/keys" }

    /// The address to listen on: an IPv4 or IPv6 address, or a host name.
    public var host: String
    /// 0 lets the system pick a port; ``HearthServer/boundPort`` tells which.
    public var port: Int
    /// With it, the port speaks TLS and nothing else.
    public var tls: TLS?
    /// Where databases, keys and secrets live. Made when absent.
    public var dataDirectory: String
    /// Where the journals of databases and accounts are, if not there. All else stays in ``dataDirectory``.
    public var journal = JournalPlace.dataFolder
    /// What makes the server a node of a cluster, whose journals are in a PostgreSQL; nil for a server by itself.
    public var cluster: ClusterOptions?
    /// The rules file's text. The default database gets it at every start; any other database has it for as long as
    /// no rules are uploaded for it. Without it such a database denies everything.
    public var rules: String?
    /// Where ``rules`` was read from, for the history of the rules.
    public var rulesPath: String?
    /// True when clients can make databases.
    public var mode: Mode
    /// The database of a request that names none.
    public var defaultNamespace: String
    /// The operator said which database that is. Then an administrator's request that names none means it, whatever it
    /// does.
    public var isDefaultNamed = false
    /// Event loops for sockets; 0 means one for each core.
    public var ioThreadCount = 0
    /// Users, and how they sign in: everything that the operator's file says. Here are also the project and whether the
    /// server is an emulator, which every part of it goes by: an emulator is never served together with TLS, and on another
    /// address than a loopback one only together with ``emulatorAllows``.
    public var accounts: AccountsConfiguration
    /// The plugins that ``accounts`` switches on, made and ready.
    public var plugins: PluginSet
    /// A database secret by itself opens every database, as the legacy protocol has it. Tokens signed with one count
    /// either way.
    public var acceptsRawSecrets = true
    /// True when databases count what each part of their rules comes to, for `/.inspect/coverage`. An emulator always
    /// does.
    public var countsRules = false
    /// How long nobody has used a database that is closed then, until somebody does; nil keeps all open. The default one
    /// stays open.
    public var closesIdleAfterSeconds: Int?
    /// What of the past databases keep.
    public var history = HistoryRetention.none
    /// True when it is kept who made each change.
    public var recordsAuthors = false
    /// Bytes that listens of a database may take; nil goes by the memory that the process may use.
    var listensBytesMax: Int?
    /// The time when room on the disk is little; by itself a server does not look.
    public var space = SpaceThresholds.never
    /// How much room there is.
    var measureSpace: @Sendable (_ folder: String) -> FileSystemSpace? = { FileSystemSpace(at: $0) }
    /// Identity requests under way at a time, all clients together; more are asked to come back. Each holds its body; what
    /// all bodies together may take is bounded by the transport.
    public var identityRequestsMax = IdentityLoad.requestsMax
    /// Networks in CIDR notation whose programs an emulator lets in as it does those of its own machine.
    public var emulatorAllows: [String] = []
    /// The place where an emulator's parts are looked for; ports beside ``port`` are opened, too. Without it there is
    /// no hub.
    public var emulatorPorts: EmulatorPorts?
    /// What the emulator hub has write everything into a folder; nil when the server's program cannot.
    public var emulatorExport: (@Sendable (_ folder: String, _ databases: [String]) async throws -> Void)?
    /// Events of triggers are sent; without it they are kept.
    public var sendsEvents = true
    /// The emulator of functions that is told of events, `host:port`; nil when there is none.
    public var functionsEmulator: String?
    /// The page in the browser.
    public var console = ConsoleOptions()
    /// Takes what an operator should know. No secret is logged.
    public var logger: Logger
    /// Counts what the server does, for `/.metrics`. A program that embeds servers can make it the process's own backend of
    /// swift-metrics; two servers that share one count together.
    public var metrics = MetricsRegistry()
    /// A file whose first line is a token that may look at `/.metrics` and do nothing else; nil is no such token.
    public var metricsTokenPath: String?
    /// What clients may make the server hold; nil goes by this machine's memory.
    var memory: ClientMemory?

    /// - Parameters:
    ///   - accounts: nil takes the defaults, with links that name the address that is listened on.
    ///   - plugins: without any nobody can sign in but with the credentials of the database.
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
