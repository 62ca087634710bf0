import HearthAccounts
import Logging

extension HearthServer {
  /// Everything a server is told when it is made. All of it is plain data; files are read by the caller,
  /// except the two TLS files, which are read when the server starts.
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
      public var certificatePath: String
      public var keyPath: String

      public init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
      }
    }

    /// The project of identity tokens when none is named.
    public static let projectIDDefault = "hearth"

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
    /// The rules file's text. The default database gets it at every start; any other database has it for as long as
    /// no rules are uploaded for it. Without it such a database denies everything.
    public var rules: String?
    public var mode: Mode
    /// Accepts what the Firebase emulator's clients send: the word `owner` as an administrator, unsigned tokens and
    /// credentials, any project; and throttles nothing. Only from programs and pages of this machine, only on a loopback
    /// address, and never together with TLS.
    public var isEmulator: Bool
    /// The database of a request that names none.
    public var defaultNamespace: String
    /// Event loops for sockets; 0 means one for each core.
    public var ioThreadCount: Int
    /// The project that identity tokens are minted for and checked against; that of ``accounts`` is not looked at.
    public var projectID: String
    /// Users, and how they sign in.
    public var accounts: AccountsOptions
    public var logger: Logger
    /// What clients may make the server hold; nil goes by this machine's memory.
    var memory: ClientMemory?

    /// - Parameter accounts: nil takes the defaults: nobody can sign in but with the credentials of the database.
    public init(
      dataDirectory: String, host: String = "127.0.0.1", port: Int = 9000, tls: TLS? = nil, rules: String? = nil,
      mode: Mode = .serve, isEmulator: Bool = false, defaultNamespace: String = "default", ioThreadCount: Int = 0,
      projectID: String = projectIDDefault, accounts: AccountsOptions? = nil, logger: Logger = Logger(label: "hearth")
    ) {
      self.dataDirectory = dataDirectory
      self.host = host
      self.port = port
      self.tls = tls
      self.rules = rules
      self.mode = mode
      self.isEmulator = isEmulator
      self.defaultNamespace = defaultNamespace
      self.ioThreadCount = ioThreadCount
      self.projectID = projectID
      self.accounts =
        accounts
        ?? AccountsOptions(
          configuration: AccountsConfiguration(
            projectID: projectID, publicURL: ServerFile.url(host: host, port: port, isEncrypted: tls != nil)))
      self.logger = logger
    }
  }
}
