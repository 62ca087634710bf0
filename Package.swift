// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// `make fuzz` builds with `HEARTH_FUZZ` in the environment, in a folder of its own: the fuzzer's program is in the place
/// of the tests that replay its corpora, and our targets count the branches they take. Its value is the file of the
/// compiler's libFuzzer.
let fuzzerLibrary = Context.environment["HEARTH_FUZZ"]

/// Every target of the package: Swift 6 mode, and warnings are errors.
let house: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
  ] + (fuzzerLibrary == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])])

/// Parsers that meet strangers: what they are fuzzed as, and replayed as in the tests.
let fuzzed: [Target.Dependency] = [
  "HearthAccounts", "HearthBackup", "HearthBytes", "HearthCluster", "HearthCrypto", "HearthDatabase", "HearthEngine",
  "HearthGateway",
  "HearthIdentity", "HearthJournal", "HearthMigration", "HearthPages", "HearthPluginHost", "HearthRules",
  "HearthSAML", "HearthTransport", "HearthTree", "HearthTriggers", "HearthWebAuthn", "HearthWire", "HearthWorkbench",
  .nioCore,
]
let fuzzing: Target =
  if let fuzzerLibrary {
    .executableTarget(
      name: "hearth-fuzz", dependencies: fuzzed, path: "Tests/FuzzTests",
      exclude: ["Corpora", "ReplayTests.swift", "fuzz.py"],
      linkerSettings: [.unsafeFlags([fuzzerLibrary]), .linkedLibrary("stdc++")])
  } else {
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed, exclude: ["Program", "fuzz.py"], resources: [.copy("Corpora")])
  }

/// A folder of `Plugins/` that is built into the program: one with Swift files, unless these are a program of their own,
/// with a `plugin.json`, or a command of the package.
struct Plugin {
  var folder: String

  /// The module: what a folder brings in is in its constant `builtIn`.
  var target: String { folder + "Plugin" }
  /// Tests of the module are between `#if` and `#endif` with this, so that the others run without it.
  var condition: String { "PLUGIN_" + folder }

  /// Those that are there. Nothing else of the package names one: a folder that is deleted is gone, and one that is made
  /// is built in. SwiftPM remembers what this comes to until the manifest's text or the environment changes: the
  /// makefile's commands name the folders in `HEARTH_PLUGINS`, which nothing reads.
  static let all: [Plugin] = {
    let path = Context.packageDirectory + "/Plugins"
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return folders.sorted().filter { folder in
      let files = (try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []
      return folder != packageCommand && !files.contains("plugin.json") && files.contains { $0.hasSuffix(".swift") }
    }.map { Plugin(folder: $0) }
  }()
}

/// Modules with the names of Firebase's SDK, with which an app's files compile unchanged. Only with
/// `HEARTH_FIREBASE_MODULES` in the environment: names of targets are unique among all packages of an app, so an app
/// could not use this package beside Firebase's.
let firebaseModules =
  Context.environment["HEARTH_FIREBASE_MODULES"] == nil
  ? [] : ["FirebaseAuth", "FirebaseCore", "FirebaseDatabase", "Firebase"]

/// The folder in `Plugins/` with the package command `swift package test-rules`.
let packageCommand = "TestRules"
let hasTestRules = FileManager.default.fileExists(atPath: Context.packageDirectory + "/Plugins/" + packageCommand)

/// `make docs` sets `HEARTH_DOCS`: the package command that makes the guides a site is compiled for it alone.
let buildsDocumentation = Context.environment["HEARTH_DOCS"] != nil

/// TLS of the client: the system's OpenSSL on Linux, swift-nio-ssl on Apple's systems, which have no OpenSSL. Not both
/// rows everywhere, because SwiftPM would fetch swift-nio-ssl on Linux too.
#if os(Linux)
  let clientTLS: [Target.Dependency] = ["HearthTLS"]
#else
  let clientTLS: [Target.Dependency] = [
    .target(name: "HearthTLS", condition: .when(platforms: [.linux])),
    .product(
      name: "NIOSSL", package: "swift-nio-ssl", condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
  ]
#endif

/// Modules of other packages. ``Package/dependencies`` below says why each package is used.
extension Target.Dependency {
  static let argumentParser = server("ArgumentParser", package: "swift-argument-parser")
  static let coreMetrics = server("CoreMetrics", package: "swift-metrics")
  static let grdb = server("GRDB", package: "GRDB.swift")
  static let histogram = server("Histogram", package: "hdrhistogram-swift")
  static let logging = server("Logging", package: "swift-log")
  static let nioConcurrencyHelpers = product(name: "NIOConcurrencyHelpers", package: "swift-nio")
  static let nioCore = product(name: "NIOCore", package: "swift-nio")
  static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
  static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
  static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
  static let nioSSL = server("NIOSSL", package: "swift-nio-ssl")
  static let nioWebSocket = product(name: "NIOWebSocket", package: "swift-nio")
  static let unixSignals = server("UnixSignals", package: "swift-service-lifecycle")
  static let yams = server("Yams", package: "Yams")

  /// A product that the trait `Server` needs: an app of the client alone, with `traits: []`, does not fetch its package.
  private static func server(_ name: String, package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Server"]))
  }
}

/// A folder of targets, each in a folder with its name.
struct Group {
  var targets: [Target]

  /// Gives the targets their paths and the settings of ``house``. A target with a path of its own keeps it.
  init(_ folder: String, _ targets: [Target]) {
    self.targets = targets
    for target in targets {
      target.path = target.path ?? folder + "/" + target.name
      if ![.system, .plugin].contains(target.type) { target.swiftSettings = house + (target.swiftSettings ?? []) }
    }
  }
}

/// The table of targets. A target imports the targets in its row and no others, and those are of its own group or of one
/// above it: `Tests/ProjectTests/LayerTests.swift` holds the sources against it, since SwiftPM lets a target import
/// what it reaches through others.
let groups = [
  // System libraries: a module map and at most a thin shim.
  Group(
    "Sources/Shims",
    [
      .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
      // Atomic access by address: the client library has no `Synchronization` for it.
      .target(name: "CAtomics"),
      .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
      .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
      // Signatures of passkeys; nothing of it that talks to devices.
      .systemLibrary(name: "CFido2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])]),
      .systemLibrary(name: "CJWT", pkgConfig: "libjwt", providers: [.apt(["libjwt-dev"])]),
      .systemLibrary(name: "CLinux"),
      .systemLibrary(name: "CMalloc"),
      .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
      // Journals in PostgreSQL: its own client library, with its pipelines and its ways to sign in.
      .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
      .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
      // The client's cache, and a part that GRDB does not pass on: a connection that leaves its log alone.
      .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
      // TLS of the client.
      .systemLibrary(name: "CTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
      // Signed XML of identity providers. The definitions are those of the library's own package: its structures are laid
      // out by them.
      .target(
        name: "CXMLSec",
        cSettings: [
          .define("XMLSEC_CRYPTO_OPENSSL", to: "1"), .define("XMLSEC_NO_CRYPTO_DYNAMIC_LOADING", to: "1"),
          .define("XMLSEC_NO_SIZE_T"), .define("XMLSEC_NO_GOST", to: "1"), .define("XMLSEC_NO_GOST2012", to: "1"),
          .define("XMLSEC_OPENSSL3_ENGINES", to: "1"),
          .unsafeFlags(["-I/usr/include/libxml2", "-I/usr/include/xmlsec1"]),
        ],
        linkerSettings: ["xmlsec1-openssl", "xmlsec1", "xml2", "crypto"].map { .linkedLibrary($0) }),
      // The console's page for browsers that take nothing compressed.
      .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
      // Backups: the library that Debian's tools use, with compression and checksums.
      .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    ]),

  // Programs that SwiftPM runs while it builds.
  Group(
    "Sources/Build",
    [
      // Writes the list of the plugins in `Plugins/`.
      .plugin(name: "BuiltInList", capability: .buildTool()),
      // Bundles the console's page and embeds it.
      .plugin(name: "ConsolePage", capability: .buildTool()),
    ]),

  // Values and helpers that all parts share, without a socket.
  Group(
    "Sources/Base",
    [
      .target(name: "HearthBytes"),
      .target(name: "HearthCrypto", dependencies: ["CArgon2", "CCrypt", "CJWT", "COpenSSL", "HearthBytes"]),
      // Counters and histograms, and the text of a scrape: a backend of swift-metrics.
      .target(name: "HearthMetrics", dependencies: [.coreMetrics]),
      // Requests and mails to other servers, over libcurl: the system's TLS and SMTP in one library.
      .target(name: "HearthOutbound", dependencies: ["CCurl", "HearthBytes"]),
      // Terminals, files and processes, as all programs of the package use them.
      .target(name: "HearthProgram", dependencies: ["CLinux", "HearthSystem", "HearthTree"]),
      .target(name: "HearthSystem", dependencies: ["CMalloc"]),
      // TLS of clients by the system's OpenSSL: BoringSSL is a third of what an app would compile.
      .target(name: "HearthTLS", dependencies: ["CTLS", .nioCore]),
      .target(name: "HearthTree", dependencies: ["CAtomics", "HearthBytes"]),
      .target(name: "HearthWire", dependencies: ["HearthTree"]),
    ]),

  // The rules language, and proofs about it.
  Group(
    "Sources/Rules",
    [
      // The access that a rules file gives to strangers, proved over the checked rules.
      .target(name: "HearthExposure", dependencies: ["HearthRules", "HearthTree"]),
      .target(name: "HearthRules", dependencies: ["CRE2", "HearthTree"]),
    ]),

  // The contract of plugins, and the processes and services that they run as.
  Group(
    "Sources/PluginHosting",
    [
      .target(name: "HearthPlugin", dependencies: ["HearthBytes", "HearthTree"]),
      // Installs, supervises and asks plugins in processes of their own, and services.
      .target(
        name: "HearthPluginHost",
        dependencies: ["CLinux", "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthSystem", "HearthTree"]),
      // For plugins in Swift that run in processes of their own. A module beside the contract, because it starts threads.
      .target(name: "HearthPluginKit", dependencies: ["HearthPlugin", "HearthTree"]),
    ]),

  // One database: decisions, durability, and the events of its writes.
  Group(
    "Sources/Database",
    [
      .target(
        name: "HearthDatabase",
        dependencies: [
          "HearthEngine", "HearthJournal", "HearthMetrics", "HearthPages", "HearthRules", "HearthSystem", "HearthTree",
          "HearthTrial",
          .coreMetrics,
        ]),
      .target(name: "HearthEngine", dependencies: ["HearthRules", "HearthTree"]),
      // The protocol of durable, ordered logs.
      .target(name: "HearthJournal", dependencies: ["HearthBytes"]),
      // Sends the events that writes make until they are taken.
      .target(
        name: "HearthOutbox",
        dependencies: [
          "HearthDatabase", "HearthEngine", "HearthJournal", "HearthOutbound", "HearthPlugin", "HearthTree",
          "HearthTriggers", .logging,
        ]),
      // The files of pages of databases that need not fit in memory.
      .target(name: "HearthPages", dependencies: ["HearthBytes", "HearthSystem", "HearthTree"]),
      // Judges staged rules by the requests that the rules in force decide.
      .target(name: "HearthTrial", dependencies: ["HearthEngine", "HearthRules", "HearthTree"]),
      // The events of a commit, their bodies, and the time of each attempt to send them. Without a socket, a file or a clock.
      .target(name: "HearthTriggers", dependencies: ["HearthCrypto", "HearthTree"]),
    ]),

  // Several nodes over one log.
  Group(
    "Sources/Cluster",
    [
      // Ownership of databases as values. Without a socket, a store, a clock or a thread.
      .target(name: "HearthCluster", dependencies: ["HearthBytes", "HearthJournal"]),
      // A node: TLS connections to the others, and databases that follow their logs or own them. The store is a protocol.
      .target(
        name: "HearthClusterNode",
        dependencies: [
          "HearthBytes", "HearthCluster", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthRules",
          "HearthSystem", "HearthTree",
          .logging, .nioCore, .nioPosix, .nioSSL,
        ]),
    ]),

  // The logs on disks and in PostgreSQL, and copies of them.
  Group(
    "Sources/Storage",
    [
      // Copies of a data folder, and folders made of them.
      .target(
        name: "HearthBackup",
        dependencies: [
          "CZstd", "HearthBytes", "HearthCrypto", "HearthEngine", "HearthJournal", "HearthSystem", "HearthTree",
        ]),
      .target(
        name: "HearthPostgres", dependencies: ["CPostgres", "HearthCluster", "HearthCrypto", "HearthJournal"]),
      .target(
        name: "HearthSQLite",
        dependencies: ["CSQLite", "HearthBytes", "HearthJournal", "HearthSystem", .grdb]),
    ]),

  // Accounts and sign-in.
  Group(
    "Sources/Accounts",
    [
      .target(
        name: "HearthAccounts",
        dependencies: [
          "HearthBytes", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthPlugin",
          "HearthRules",
          "HearthSAML",
          "HearthSystem", "HearthTree",
        ]),
      // Requests about accounts: identity, tokens, administration.
      .target(
        name: "HearthIdentity",
        dependencies: [
          "HearthAccounts", "HearthBytes", "HearthCrypto", "HearthEngine", "HearthPlugin", "HearthSAML", "HearthTree",
        ]),
      // Answers of companies' identity providers, checked. Without a socket, a file, a clock or a store.
      .target(name: "HearthSAML", dependencies: ["CXMLSec", "HearthBytes", "HearthCrypto", "HearthTree"]),
      // Answers of authenticators about passkeys, checked.
      .target(
        name: "HearthWebAuthn", dependencies: ["CFido2", "HearthBytes", "HearthCrypto", "HearthPlugin", "HearthTree"]),
    ]),

  // Rules without a server: tested, covered, explained.
  Group(
    "Sources/RulesTools",
    [
      .executableTarget(name: "hearth-rules", dependencies: ["HearthRulesCommands", .argumentParser]),
      // Commands on rules that need no server: `hearth` has them, and so has the small program that the package plugin runs.
      .target(
        name: "HearthRulesCommands",
        dependencies: [
          "HearthProgram", "HearthRules", "HearthSystem", "HearthTree", "HearthWorkbench", .argumentParser,
        ]),
      // For tests in Swift of an app's rules.
      .target(
        name: "HearthRulesTesting",
        dependencies: ["HearthEngine", "HearthProgram", "HearthRules", "HearthTree", "HearthWorkbench"]),
      .target(
        name: "HearthWorkbench",
        dependencies: ["HearthBytes", "HearthEngine", "HearthExposure", "HearthRules", "HearthTree", .yams]),
    ]),

  // Everything that touches a client's socket. The transport carries bytes and does not read them; the gateway turns them
  // into commands of databases and effects into bytes; the server composes all of it.
  Group(
    "Sources/Server",
    [
      // The console's page in the browser, and the checks of its links, sessions and requests.
      .target(
        name: "HearthConsole", dependencies: ["CZlib", "HearthBytes", "HearthCrypto", "HearthTree"],
        exclude: ["Page", "bundle.py"],
        plugins: ["ConsolePage"]),
      .target(
        name: "HearthGateway",
        dependencies: [
          "HearthAccounts", "HearthBytes", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal",
          "HearthMetrics", "HearthOutbound",
          "HearthOutbox", "HearthRules", "HearthSystem", "HearthTransport", "HearthTree", "HearthTrial",
          "HearthTriggers", "HearthWire", .coreMetrics, .logging, .nioCore, .nioHTTP1, .nioPosix,
        ]),
      .target(
        name: "HearthServer",
        dependencies: [
          "HearthAccounts", "HearthBackup", "HearthBytes", "HearthCluster", "HearthClusterNode", "HearthConsole",
          "HearthCrypto",
          "HearthDatabase", "HearthEngine", "HearthGateway", "HearthIdentity", "HearthJournal", "HearthMetrics",
          "HearthOutbound", "HearthOutbox", "HearthPlugin", "HearthPluginHost", "HearthPostgres", "HearthRules",
          "HearthSQLite", "HearthSystem", "HearthTransport", "HearthTree", "HearthTrial", "HearthTriggers",
          "HearthWire", "HearthWorkbench", .coreMetrics, .logging, .nioCore, .nioHTTP1, .nioPosix,
        ]),
      .target(
        name: "HearthTransport",
        dependencies: [
          "HearthBytes", "HearthMetrics", "HearthSystem", "HearthTree",
          .coreMetrics, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
        ]),
    ]),

  // The client library for apps.
  Group(
    "Sources/Client",
    [
      .target(
        name: "HearthClient",
        dependencies: [
          "CSQLite", "HearthBytes", "HearthSync", "HearthTree", "HearthWire",
          .nioConcurrencyHelpers, .nioCore, .nioHTTP1, .nioPosix, .nioWebSocket,
        ] + clientTLS),
      // The API of version 2 of Firebase's SDK.
      .target(name: "HearthClientLegacy", dependencies: ["HearthClient", "HearthTree"]),
      // A client's state and events, without a socket, a file, a clock or a thread.
      .target(name: "HearthSync", dependencies: ["HearthTree"]),
    ]),
  Group(
    "Sources/FirebaseModules",
    firebaseModules.map { name in
      .target(
        name: name,
        dependencies: name == "Firebase" ? firebaseModules.dropLast().map { .target(name: $0) } : ["HearthClient"])
    }),

  // The plugins that are built in.
  Group(
    "Plugins",
    Plugin.all.map { plugin in
      .target(
        name: plugin.target,
        dependencies: [
          "HearthBytes", "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthTree", "HearthWebAuthn",
        ],
        path: "Plugins/" + plugin.folder, exclude: ["README.md"])
    }
      + (hasTestRules
        ? [
          .plugin(
            name: "TestRules",
            capability: .command(
              intent: .custom(verb: "test-rules", description: "Run the package's security rules tests.")),
            // It builds `hearth-rules` when it runs. As a dependency here, the program and all its modules would be compiled
            // a second time, as a tool, in every build of the package.
            path: "Plugins/" + packageCommand, exclude: ["README.md"])
        ] : [])),

  // The command line.
  Group(
    "Sources/Programs",
    [
      .executableTarget(
        name: "hearth",
        dependencies: [
          "CLinux", "HearthAccounts", "HearthBackup", "HearthBytes", "HearthClusterNode", "HearthCrypto",
          "HearthCommandLine", "HearthDatabase",
          "HearthDoctor", "HearthEngine", "HearthExposure", "HearthGateway", "HearthIdentity", "HearthJournal",
          "HearthMigration", "HearthPlugin", "HearthPluginHost", "HearthProgram", "HearthRules", "HearthRulesCommands",
          "HearthServer", "HearthSystem", "HearthTransport", "HearthTree", "HearthTriggers",
          "HearthWire", "HearthWorkbench",
          .argumentParser, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .unixSignals,
        ] + Plugin.all.map { .target(name: $0.target) }, plugins: ["BuiltInList"]),
      // Decisions of the command line: the server or folder that a command works on.
      .target(name: "HearthCommandLine", dependencies: ["HearthProgram", "HearthSystem", "HearthTree"]),
      // Findings about a server's machine, folder and rules, and the remedy of each.
      .target(name: "HearthDoctor", dependencies: ["HearthTree"]),
      // Files from elsewhere, decompressed, and their values that cannot be stored or would be something else here.
      .target(name: "HearthMigration", dependencies: ["CZlib", "CZstd", "HearthProgram", "HearthTree"]),
    ]),

  // Modules that tests share.
  Group(
    "Tests/Support",
    [
      // Disks that fail: calls on files are taken over by name, in the tests' own program.
      .target(name: "CDiskTap"),
      // Nodes, clients and faults on a time of their own, over any store, and the judge of a run.
      .target(name: "ClusterSimulation", dependencies: ["HearthCluster", "HearthJournal", "RandomTestKit"]),
      // Scenarios in files, and their runner on the client's core.
      .target(name: "HearthSyncScenarios", dependencies: ["HearthSync", "HearthTree"]),
      .target(
        name: "HearthTestKit",
        dependencies: [
          "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthRules",
          "HearthTree", "PagesTestKit", "RandomTestKit",
        ]),
      // Certificates of nodes.
      .target(name: "LinkTestKit", dependencies: ["HearthClusterNode", "HearthCrypto"]),
      // Servers with accounts, on ports of their own, for tests of the server and of clients.
      .target(
        name: "LiveServerKit",
        dependencies: [
          "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthGateway", "HearthPlugin", "HearthServer",
          "HearthTestKit", "HearthTransport", "HearthTree", "RandomTestKit", "ServerTestKit", .logging,
        ]),
      // An authenticator in software.
      .target(name: "PasskeyTestKit", dependencies: ["COpenSSL", "HearthBytes", "HearthCrypto"]),
      // Stored pages in memory.
      .target(name: "PagesTestKit", dependencies: ["HearthTree"]),
      .target(name: "RandomTestKit"),
      // An identity provider for tests: keys, certificates, and answers signed as tests want them.
      .target(name: "SAMLTestKit", dependencies: ["COpenSSL", "HearthBytes", "HearthCrypto"]),
      // Clients of sockets for tests of the targets that have them.
      .target(
        name: "ServerTestKit",
        dependencies: [
          "HearthSystem", "HearthTransport", "RandomTestKit", .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
        ]),
    ]),

  // Programs that print numbers, or run a scenario.
  Group(
    "Tests/Tools",
    [
      .executableTarget(name: "ExposureBench", dependencies: ["HearthExposure", "HearthRules"]),
      .executableTarget(name: "JournalBench", dependencies: ["HearthJournal", "HearthPostgres", "HearthSQLite"]),
      .executableTarget(name: "TreeBench", dependencies: ["CMalloc", "HearthTree"]),
      .executableTarget(
        name: "hearth-bench",
        dependencies: [
          "CLinux", "HearthClient", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthPlugin",
          "HearthPluginHost", "HearthProgram", "HearthRules", "HearthSQLite", "HearthServer", "HearthSystem",
          "HearthTransport", "HearthTree", "HearthTrial",
          .argumentParser, .histogram, .nioCore, .nioHTTP1, .nioPosix,
        ]),
      .executableTarget(
        name: "sync-scenarios",
        dependencies: ["HearthProgram", "HearthSyncScenarios", "HearthTree", .argumentParser]),
    ]),

  // Examples of the guides that must go on to compile.
  Group(
    "Tests/Examples",
    [
      .executableTarget(name: "Chat", dependencies: ["HearthClient"]),
      .executableTarget(
        name: "Door", dependencies: ["HearthPlugin", "HearthPluginKit"],
        exclude: ["plugin.json", "plugin-tests.json"]),
    ]),

  Group(
    "Tests",
    [
      .testTarget(
        name: "DiskTests",
        dependencies: [
          "CDiskTap", "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal",
          "HearthPages", "HearthProgram", "HearthRules", "HearthSQLite", "HearthSystem", "HearthTestKit", "HearthTree",
          "RandomTestKit",
        ]),
      fuzzing,
      .testTarget(
        name: "HearthAccountsTests",
        dependencies: [
          "HearthAccounts", "HearthBytes", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal",
          "HearthPlugin",
          "HearthRules", "HearthSQLite", "HearthSystem", "HearthTestKit", "HearthTree", "RandomTestKit",
        ]),
      .testTarget(
        name: "HearthBackupTests",
        dependencies: [
          "HearthBackup", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthSQLite",
          "HearthTree", "RandomTestKit",
        ]),
      .testTarget(name: "HearthBytesTests", dependencies: ["HearthBytes"]),
      .testTarget(
        name: "HearthClientLegacyTests",
        dependencies: [
          "HearthClient", "HearthClientLegacy", "HearthTestKit", "HearthTree", "LiveServerKit", "ServerTestKit",
        ]),
      .testTarget(
        name: "HearthClientTests",
        dependencies: [
          "HearthAccounts", "HearthBytes", "HearthClient", "HearthCrypto", "HearthPlugin", "HearthServer", "HearthSync",
          "HearthTestKit", "HearthTree", "HearthWebAuthn", "HearthWire", "LiveServerKit", "PasskeyTestKit",
          "RandomTestKit", "ServerTestKit", .grdb, .nioCore, .nioPosix,
        ]),
      .testTarget(
        name: "HearthClusterNodeTests",
        dependencies: [
          "HearthCluster", "HearthClusterNode", "HearthTestKit", "HearthTree", "LinkTestKit",
          .logging, .nioCore, .nioEmbedded, .nioPosix,
        ]),
      .testTarget(
        name: "HearthClusterTests",
        dependencies: ["ClusterSimulation", "HearthBytes", "HearthCluster", "HearthJournal", "RandomTestKit"]),
      .testTarget(
        name: "HearthCommandLineTests", dependencies: ["HearthCommandLine", "HearthProgram"]),
      .testTarget(name: "HearthConsoleTests", dependencies: ["HearthConsole", "HearthCrypto", "HearthTree"]),
      .testTarget(
        name: "HearthCryptoTests",
        dependencies: ["CJWT", "COpenSSL", "HearthBytes", "HearthCrypto", "HearthTestKit", "RandomTestKit"]),
      .testTarget(
        name: "HearthDatabaseTests",
        dependencies: [
          "HearthDatabase", "HearthEngine", "HearthJournal", "HearthMetrics", "HearthPages", "HearthRules",
          "HearthTestKit", "HearthTree", "HearthTrial", "PagesTestKit", "RandomTestKit",
        ]),
      .testTarget(name: "HearthDoctorTests", dependencies: ["HearthDoctor", "HearthTree"]),
      .testTarget(
        name: "HearthEngineTests",
        dependencies: ["HearthEngine", "HearthRules", "HearthTestKit", "HearthTree", "PagesTestKit", "RandomTestKit"]),
      .testTarget(
        name: "HearthExposureTests", dependencies: ["HearthExposure", "HearthRules", "HearthTree", "RandomTestKit"],
        resources: [.copy("Corpus")]),
      .testTarget(
        name: "HearthGatewayTests",
        dependencies: [
          "HearthAccounts", "HearthBytes", "HearthCrypto", "HearthEngine", "HearthGateway", "HearthRules",
          "HearthSystem",
          "HearthTransport", "HearthTree", "HearthTrial", "HearthWire", "PagesTestKit", "RandomTestKit",
          "ServerTestKit", .logging, .nioCore, .nioEmbedded, .nioHTTP1, .nioPosix,
        ]),
      .testTarget(
        name: "HearthIdentityTests",
        dependencies: [
          "HearthAccounts", "HearthBytes", "HearthCrypto", "HearthEngine", "HearthIdentity", "HearthPlugin",
          "HearthSAML",
          "HearthTestKit", "HearthTree", "HearthWebAuthn", "PasskeyTestKit", "RandomTestKit", "SAMLTestKit",
        ]),
      .testTarget(name: "HearthJournalTests", dependencies: ["HearthJournal", "HearthTestKit"]),
      .testTarget(name: "HearthMetricsTests", dependencies: ["HearthMetrics", .coreMetrics]),
      .testTarget(
        name: "HearthMigrationTests",
        dependencies: ["CZlib", "CZstd", "HearthMigration", "HearthTree", "RandomTestKit"]),
      .testTarget(name: "HearthOutboundTests", dependencies: ["HearthBytes", "HearthOutbound"]),
      .testTarget(
        name: "HearthOutboxTests",
        dependencies: [
          "HearthDatabase", "HearthEngine", "HearthJournal", "HearthOutbound", "HearthOutbox", "HearthPlugin",
          "HearthRules", "HearthTree", "HearthTriggers", .logging,
        ]),
      .testTarget(
        name: "HearthPagesTests",
        dependencies: ["HearthBytes", "HearthPages", "HearthSystem", "HearthTree", "RandomTestKit"]),
      .testTarget(
        name: "HearthPluginHostTests",
        dependencies: [
          "CLinux", "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthPluginHost", "HearthSystem", "HearthTree",
          "RandomTestKit",
        ]),
      .testTarget(name: "HearthPluginKitTests", dependencies: ["HearthPlugin", "HearthPluginKit", "HearthTree"]),
      .testTarget(
        name: "HearthPostgresTests",
        dependencies: [
          "CPostgres", "ClusterSimulation", "HearthCluster", "HearthClusterNode", "HearthJournal", "HearthPostgres",
          "HearthTestKit", "LinkTestKit", "RandomTestKit", .logging, .nioPosix,
        ]),
      .testTarget(name: "HearthProgramTests", dependencies: ["HearthProgram"]),
      .testTarget(
        name: "HearthRulesTests", dependencies: ["HearthRules", "HearthTree", "RandomTestKit"],
        resources: [.copy("Conformance")]),
      .testTarget(name: "HearthSAMLTests", dependencies: ["HearthCrypto", "HearthSAML", "SAMLTestKit"]),
      .testTarget(
        name: "HearthSQLiteTests",
        dependencies: ["HearthJournal", "HearthSQLite", "HearthTestKit", "RandomTestKit", .grdb]),
      .testTarget(
        name: "HearthServerTests",
        dependencies: [
          "HearthAccounts", "HearthBytes", "HearthConsole", "HearthCrypto", "HearthDatabase", "HearthEngine",
          "HearthGateway",
          "HearthIdentity", "HearthJournal", "HearthMetrics", "HearthOutbound", "HearthPlugin", "HearthPluginHost",
          "HearthRules", "HearthSQLite", "HearthServer", "HearthSystem", "HearthTestKit", "HearthTransport",
          "HearthTree", "HearthTrial", "HearthWire", "LiveServerKit", "PagesTestKit", "RandomTestKit", "ServerTestKit",
          .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
        ],
        resources: [.copy("Scenarios/Data")]),
      .testTarget(
        name: "HearthSyncTests", dependencies: ["HearthSync", "HearthSyncScenarios", "HearthTree", "RandomTestKit"],
        resources: [.copy("Scenarios")]),
      .testTarget(name: "HearthSystemTests", dependencies: ["HearthSystem"]),
      .testTarget(
        name: "HearthTLSTests",
        dependencies: [
          "COpenSSL", "CTLS", "HearthTLS", "RandomTestKit", .nioCore, .nioEmbedded, .nioSSL,
        ]),
      .testTarget(
        name: "HearthTransportTests",
        dependencies: [
          "HearthBytes", "HearthMetrics", "HearthTestKit", "HearthTransport", "HearthTree", "RandomTestKit",
          "ServerTestKit",
          .nioCore, .nioEmbedded, .nioHTTP1, .nioPosix, .nioSSL,
        ]),
      .testTarget(
        name: "HearthTreeTests", dependencies: ["HearthBytes", "HearthTree", "PagesTestKit", "RandomTestKit"]),
      .testTarget(
        name: "HearthTrialTests",
        dependencies: ["HearthEngine", "HearthRules", "HearthTree", "HearthTrial", "RandomTestKit"]),
      .testTarget(
        name: "HearthTriggersTests", dependencies: ["HearthCrypto", "HearthTree", "HearthTriggers", "RandomTestKit"]),
      .testTarget(
        name: "HearthWebAuthnTests",
        dependencies: ["HearthCrypto", "HearthWebAuthn", "PasskeyTestKit", "RandomTestKit"]),
      .testTarget(name: "HearthWireTests", dependencies: ["HearthTree", "HearthWire", "RandomTestKit"]),
      .testTarget(
        name: "HearthWorkbenchTests",
        dependencies: [
          "HearthEngine", "HearthExposure", "HearthRules", "HearthRulesTesting", "HearthTree", "HearthWorkbench",
        ]),
      .testTarget(name: "ProjectTests"),
    ]
      + (Plugin.all.isEmpty
        ? []
        : [
          .testTarget(
            name: "PluginTests",
            dependencies: [
              "HearthBytes", "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthTree", "HearthWebAuthn",
              "PasskeyTestKit",
            ] + Plugin.all.map { .target(name: $0.target) },
            swiftSettings: Plugin.all.map { .define($0.condition) })
        ])),
]

let package = Package(
  name: "hearth",
  // Those of the client: the server is for Linux.
  platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: [
    .executable(name: "hearth", targets: ["hearth"]),
    .executable(name: "hearth-bench", targets: ["hearth-bench"]),
    .executable(name: "hearth-rules", targets: ["hearth-rules"]),
    .library(name: "HearthTree", targets: ["HearthTree"]),
    .library(name: "HearthRules", targets: ["HearthRules"]),
    .library(name: "HearthSync", targets: ["HearthSync"]),
    .library(name: "HearthWire", targets: ["HearthWire"]),
    .library(name: "HearthRulesTesting", targets: ["HearthRulesTesting"]),
    .library(name: "HearthPluginKit", targets: ["HearthPlugin", "HearthPluginKit"]),
    .library(name: "HearthClient", targets: ["HearthClient"]),
    .library(name: "HearthClientLegacy", targets: ["HearthClientLegacy"]),
  ] + firebaseModules.map { .library(name: $0, targets: [$0]) }
    + (hasTestRules ? [.plugin(name: "TestRules", targets: ["TestRules"])] : []),
  traits: [
    .trait(name: "Server", description: "The server, its commands, and tools for tests of rules."),
    .default(enabledTraits: ["Server"]),
  ],
  dependencies: [
    // Command-line parsing with help texts and completions.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // The logging API that libraries and operators of Swift servers share.
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    // The metrics API that libraries and operators of Swift servers share.
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    // Event loops, sockets, the HTTP/1.1 parser.
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    // TLS on the same port, between nodes, and in commands: faster, and with less memory for each connection, than the
    // system's OpenSSL, which the client has on Linux.
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    // SQLite: the durable file under the journal.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // Signals as asynchronous sequences (its product UnixSignals alone: the other one would bring two more packages).
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // YAML of rules tests, by libyaml; JSON alone would make people write tests without comments.
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    // Latency histograms of the benchmark.
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ] + (buildsDocumentation ? [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")] : []),
  targets: groups.flatMap(\.targets)
)

// Long runs are of a few targets in an optimised build: only those that are named here are tests then.
if let names = Context.environment["HEARTH_TESTS"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name[...]) }
}

// The server is for Linux: on other systems the package is that of the client, with the tests that need no server.
#if !os(Linux)
  let clientTargets = Set(
    [
      "CAtomics", "CSQLite", "CTLS", "HearthBytes", "HearthBytesTests", "HearthClient", "HearthClientLegacy",
      "HearthSync", "HearthSyncScenarios", "HearthSyncTests", "HearthTLS", "HearthTree", "HearthTreeTests",
      "HearthWire", "HearthWireTests", "PagesTestKit", "RandomTestKit",
    ] + firebaseModules)
  package.targets.removeAll { !clientTargets.contains($0.name) }
  package.products.removeAll { !clientTargets.contains($0.name) }
#endif
