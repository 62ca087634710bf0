// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The layers of the house, lowest first. `Tests/ProjectTests/LayerTests.swift` holds the table of who may
// import whom; SwiftPM alone would let a target import what it only reaches transitively.

/// `make fuzz` builds with `HEARTH_FUZZ` in the environment, in a folder of its own: the fuzzer's program is in the place
/// of the tests that replay its corpora, and our targets count the branches they take. Its value is the file of the
/// compiler's libFuzzer.
let fuzzerLibrary = Context.environment["HEARTH_FUZZ"]

/// Every target of ours: Swift 6 mode, and no warning passes.
let house: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
  ] + (fuzzerLibrary == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"])])

/// Parsers that meet strangers: what they are fuzzed as, and replayed as in the tests.
let fuzzed: [Target.Dependency] = [
  "HearthAccounts", "HearthBackup", "HearthCluster", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthGateway",
  "HearthIdentity", "HearthJournal", "HearthMigration", "HearthPluginHost", "HearthRules", "HearthSAML",
  "HearthTransport", "HearthTree", "HearthTriggers", "HearthWebAuthn", "HearthWire", "HearthWorkbench",
  .product(name: "NIOCore", package: "swift-nio"),
]
let fuzzing: Target =
  if let fuzzerLibrary {
    .executableTarget(
      name: "hearth-fuzz", dependencies: fuzzed, path: "Tests/FuzzTests",
      exclude: ["Corpora", "ReplayTests.swift", "fuzz.py"], swiftSettings: house,
      linkerSettings: [.unsafeFlags([fuzzerLibrary]), .linkedLibrary("stdc++")])
  } else {
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed, exclude: ["Program", "fuzz.py"], resources: [.copy("Corpora")],
      swiftSettings: house)
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

/// The folder in `Plugins/` with the package command `swift package test-rules`.
let packageCommand = "TestRules"
let hasTestRules = FileManager.default.fileExists(atPath: Context.packageDirectory + "/Plugins/" + packageCommand)

/// `make docs` sets `HEARTH_DOCS`: the package command that makes the guides a site is compiled for it alone.
let buildsDocumentation = Context.environment["HEARTH_DOCS"] != nil

let package = Package(
  name: "hearth",
  // The first versions with `Synchronization`. The server is for Linux; these are for the client library.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
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
  ] + (hasTestRules ? [.plugin(name: "TestRules", targets: ["TestRules"])] : []),
  dependencies: [
    // Command-line parsing with help texts and completions.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // The logging API that libraries and operators of Swift servers share.
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    // The metrics API that libraries and operators of Swift servers share.
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    // Event loops, sockets, the HTTP/1.1 parser.
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    // TLS on the same port.
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
  targets: [
    // Layer 0: system libraries. A module map and at most a thin shim.
    .systemLibrary(name: "CJWT", pkgConfig: "libjwt", providers: [.apt(["libjwt-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
    .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
    // Signatures of passkeys; nothing of it that talks to devices.
    .systemLibrary(name: "CFido2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
    // Signed XML of identity providers. The definitions are those that the library's own package is used with: they are
    // part of how its structures are laid out.
    .target(
      name: "CXMLSec",
      cSettings: [
        .define("XMLSEC_CRYPTO_OPENSSL", to: "1"), .define("XMLSEC_NO_CRYPTO_DYNAMIC_LOADING", to: "1"),
        .define("XMLSEC_NO_SIZE_T"), .define("XMLSEC_NO_GOST", to: "1"), .define("XMLSEC_NO_GOST2012", to: "1"),
        .define("XMLSEC_OPENSSL3_ENGINES", to: "1"),
        .unsafeFlags(["-I/usr/include/libxml2", "-I/usr/include/xmlsec1"]),
      ],
      linkerSettings: ["xmlsec1-openssl", "xmlsec1", "xml2", "crypto"].map { .linkedLibrary($0) }),
    // Backups: the library that Debian's tools use, with a compressor and checksums better than any of our own.
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    // The console's page for browsers that take nothing compressed.
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // Journals in PostgreSQL: its own client library, with the pipelines and the ways to sign in that it has.
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // What GRDB does not pass on of SQLite: a connection that leaves its log alone.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "CLinux"),

    // Layer 1: pure values, and what the process is told of the machine below it.
    .target(name: "HearthDigest", swiftSettings: house),
    .target(name: "HearthSystem", dependencies: ["CMalloc"], swiftSettings: house),
    .target(name: "HearthTree", dependencies: ["HearthDigest"], swiftSettings: house),
    // What is measured, what it is counted with, and how a scrape is told: a backend of swift-metrics.
    .target(
      name: "HearthMetrics", dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")],
      swiftSettings: house),
    .target(name: "HearthCrypto", dependencies: ["CArgon2", "CCrypt", "CJWT", "COpenSSL"], swiftSettings: house),
    // What identity providers of companies answer, checked. Without a socket, a file, a clock or a store.
    .target(name: "HearthSAML", dependencies: ["CXMLSec", "HearthCrypto", "HearthTree"], swiftSettings: house),
    // Requests and mails to other servers, over libcurl: the system's TLS and SMTP in one library.
    .target(name: "HearthOutbound", dependencies: ["CCurl"], swiftSettings: house),

    // Layer 2: languages and files.
    .target(name: "HearthRules", dependencies: ["HearthTree", "CRE2"], swiftSettings: house),
    .target(name: "HearthWire", dependencies: ["HearthTree"], swiftSettings: house),
    .target(name: "HearthJournal", dependencies: ["HearthTree"], swiftSettings: house),
    // What a client knows and shows, without a socket, a file, a clock or a thread.
    .target(name: "HearthSync", dependencies: ["HearthDigest", "HearthTree"], swiftSettings: house),
    .target(name: "HearthPlugin", dependencies: ["HearthTree"], swiftSettings: house),
    // What browsers and authenticators send about passkeys, read and checked.
    .target(
      name: "HearthWebAuthn", dependencies: ["CFido2", "HearthCrypto", "HearthPlugin", "HearthTree"],
      swiftSettings: house),
    // For plugins in Swift that run in processes of their own.
    .target(name: "HearthPluginKit", dependencies: ["HearthPlugin", "HearthTree"], swiftSettings: house),
    // What of an export from elsewhere cannot be stored, or would be something else here.
    .target(name: "HearthMigration", dependencies: ["HearthTree"], swiftSettings: house),
    // Events of writes: which a commit makes, what their bodies are, when each is sent. Without a socket, a file or a clock.
    .target(name: "HearthTriggers", dependencies: ["HearthCrypto", "HearthTree"], swiftSettings: house),

    // Plugins in processes of their own, or services: installed, supervised, asked.
    .target(
      name: "HearthPluginHost",
      dependencies: ["CLinux", "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthSystem", "HearthTree"],
      swiftSettings: house),

    // What the server's journal and the client's cache ask of SQLite's rows.
    .target(name: "HearthRows", dependencies: [.product(name: "GRDB", package: "GRDB.swift")], swiftSettings: house),

    // Layer 3: the journal on this machine's disk, and what decides.
    .target(
      name: "HearthSQLite",
      dependencies: [
        "CSQLite", "HearthJournal", "HearthRows", "HearthSystem", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: house),
    // The journal in a PostgreSQL, for a deployment that is more than one machine.
    .target(
      name: "HearthPostgres", dependencies: ["CPostgres", "HearthCluster", "HearthCrypto", "HearthJournal"],
      swiftSettings: house),
    .target(name: "HearthEngine", dependencies: ["HearthRules", "HearthTree"], swiftSettings: house),
    // Several nodes over one log: who owns a database, what reaches the others, what clients are told. Without a socket, a
    // store, a clock or a thread.
    .target(name: "HearthCluster", dependencies: ["HearthJournal"], swiftSettings: house),
    // A node of a cluster: TLS connections to the others, and what runs its databases' parts over them and over a store.
    .target(
      name: "HearthNode",
      dependencies: [
        "HearthCluster", "HearthTree",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: house),
    // What a rules file lets strangers do, proved over the checked rules.
    .target(name: "HearthExposure", dependencies: ["HearthRules", "HearthTree"], swiftSettings: house),

    // Beside the server: the client library for apps.
    .target(
      name: "HearthClient",
      dependencies: [
        "HearthDigest", "HearthRows", "HearthSync", "HearthTree", "HearthWire",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      swiftSettings: house),

    // The same as version 2 of Firebase's SDK had it.
    .target(name: "HearthClientLegacy", dependencies: ["HearthClient", "HearthTree"], swiftSettings: house),

    // Beside the server: rules tested, covered and explained without one.
    .target(
      name: "HearthWorkbench",
      dependencies: [
        "HearthEngine", "HearthExposure", "HearthRules", "HearthTree", .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: house),

    // Staged rules, judged by what the rules in force are asked.
    .target(
      name: "HearthTrial", dependencies: ["HearthEngine", "HearthRules", "HearthTree"], swiftSettings: house),

    // Layer 4: one live database.
    .target(
      name: "HearthDatabase",
      dependencies: [
        "HearthEngine", "HearthJournal", "HearthMetrics", "HearthRules", "HearthTree", "HearthTrial",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      swiftSettings: house),

    // Copies of a data folder, and folders made of them.
    .target(
      name: "HearthBackup",
      dependencies: ["CZstd", "HearthCrypto", "HearthEngine", "HearthJournal", "HearthSystem", "HearthTree"],
      swiftSettings: house),

    // Beside it: what is sent to others because of what is written there.
    .target(
      name: "HearthOutbox",
      dependencies: [
        "HearthDatabase", "HearthEngine", "HearthJournal", "HearthOutbound", "HearthPlugin", "HearthTree",
        "HearthTriggers",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: house),

    // Layer 5: the accounts that live in one.
    .target(
      name: "HearthAccounts",
      dependencies: [
        "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthPlugin", "HearthRules", "HearthSAML",
        "HearthSystem", "HearthTree",
      ],
      swiftSettings: house),

    // Requests about accounts: identity, tokens, administration.
    .target(
      name: "HearthIdentity",
      dependencies: ["HearthAccounts", "HearthCrypto", "HearthEngine", "HearthPlugin", "HearthSAML", "HearthTree"],
      swiftSettings: house),

    // Layer 6: everything that touches a socket. What carries bytes knows nothing of what they say; the gateway turns
    // them into what databases are asked and say; the server puts all of it together.
    .target(
      name: "HearthTransport",
      dependencies: [
        "HearthDigest", "HearthMetrics", "HearthSystem", "HearthTree",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: house),
    .target(
      name: "HearthGateway",
      dependencies: [
        "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthMetrics",
        "HearthOutbox", "HearthRules",
        "HearthSystem", "HearthTransport", "HearthTree", "HearthTrial", "HearthTriggers", "HearthWire",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: house),
    // The page in the browser, bundled and embedded by the build, and what guards it: links, sessions, checks of requests.
    .plugin(name: "ConsolePage", capability: .buildTool(), path: "Sources/ConsolePage"),
    .target(
      name: "HearthConsole", dependencies: ["CZlib", "HearthCrypto", "HearthTree"], exclude: ["Page", "bundle.py"],
      swiftSettings: house, plugins: ["ConsolePage"]),
    .target(
      name: "HearthServer",
      dependencies: [
        "HearthAccounts", "HearthBackup", "HearthCluster", "HearthConsole", "HearthCrypto", "HearthDatabase",
        "HearthEngine",
        "HearthGateway",
        "HearthIdentity", "HearthJournal", "HearthMetrics", "HearthOutbound", "HearthOutbox", "HearthPlugin",
        "HearthPluginHost", "HearthNode", "HearthPostgres", "HearthReplicas", "HearthRules",
        "HearthSQLite", "HearthSystem", "HearthTransport", "HearthTree", "HearthTrial", "HearthTriggers", "HearthWire",
        "HearthWorkbench",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: house),

    // The databases of a cluster's node: each follows its log, and decides for it while the node owns it.
    .target(
      name: "HearthReplicas",
      dependencies: [
        "HearthCluster", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthNode", "HearthPostgres",
        "HearthRules", "HearthTree",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: house),

    // The plugins of `Plugins/`, in a list that the build writes.
    .plugin(name: "BuiltInList", capability: .buildTool(), path: "Sources/BuiltInList"),
    .target(
      name: "HearthBuiltIns", dependencies: ["HearthPlugin"] + Plugin.all.map { .target(name: $0.target) },
      swiftSettings: house, plugins: ["BuiltInList"]),

    // What a server's machine, folder and rules were found to be, and what to do about it.
    .target(name: "HearthDoctor", dependencies: ["HearthTree"], swiftSettings: house),

    // Layer 7: the command line. What programs share, then the programs: the product, and what loads it.
    .target(name: "HearthProgram", dependencies: ["CLinux", "HearthSystem", "HearthTree"], swiftSettings: house),
    // Commands on rules that need no server: `hearth` has them, and so has the small program that the package plugin runs.
    .target(
      name: "HearthRulesCommands",
      dependencies: [
        "HearthProgram", "HearthRules", "HearthSystem", "HearthTree", "HearthWorkbench",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: house),
    // For apps' tests in Swift.
    .target(
      name: "HearthRulesTesting",
      dependencies: ["HearthEngine", "HearthProgram", "HearthRules", "HearthTree", "HearthWorkbench"],
      swiftSettings: house),
    .executableTarget(
      name: "hearth-rules",
      dependencies: ["HearthRulesCommands", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: house),
    .executableTarget(
      name: "hearth",
      dependencies: [
        "CLinux", "HearthAccounts", "HearthBackup", "HearthBuiltIns", "HearthCrypto", "HearthDatabase", "HearthDoctor",
        "HearthEngine",
        "HearthExposure",
        "HearthGateway", "HearthIdentity", "HearthJournal", "HearthMigration", "HearthNode", "HearthPlugin",
        "HearthPluginHost",
        "HearthProgram",
        "HearthRules", "HearthRulesCommands",
        "HearthSQLite",
        "HearthServer", "HearthSystem",
        "HearthTransport", "HearthTree", "HearthTriggers", "HearthWire", "HearthWorkbench",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      swiftSettings: house),

    .executableTarget(
      name: "hearth-bench",
      dependencies: [
        "CLinux", "HearthClient", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthPlugin",
        "HearthPluginHost", "HearthProgram", "HearthRules", "HearthSQLite", "HearthServer", "HearthSystem",
        "HearthTransport", "HearthTree", "HearthTrial",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: house),

    // Scenarios in files that the client's core is held against, and the program that runs them.
    .target(name: "HearthSyncScenarios", dependencies: ["HearthSync", "HearthTree"], swiftSettings: house),
    .executableTarget(
      name: "sync-scenarios",
      dependencies: [
        "HearthProgram", "HearthSyncScenarios", "HearthTree",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: house),

    // Beside the layers: the guides for people, and what tests share.
    .target(name: "RandomTestKit", path: "Tests/RandomTestKit", swiftSettings: house),
    .target(name: "HearthGuide", dependencies: ["HearthPlugin"], swiftSettings: house),
    .target(
      name: "HearthTestKit",
      dependencies: [
        "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthRules",
        "HearthTree",
        "HearthWire", "RandomTestKit",
      ],
      swiftSettings: house),
    .testTarget(name: "HearthDigestTests", dependencies: ["HearthDigest"], swiftSettings: house),
    .testTarget(
      name: "HearthTreeTests", dependencies: ["HearthDigest", "HearthTree", "RandomTestKit"], swiftSettings: house),
    .testTarget(
      name: "HearthCryptoTests", dependencies: ["HearthCrypto", "HearthTestKit", "CJWT", "COpenSSL", "RandomTestKit"],
      swiftSettings: house),
    .testTarget(
      name: "HearthPluginHostTests",
      dependencies: [
        "CLinux", "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthPluginHost", "HearthSystem", "HearthTree",
        "RandomTestKit",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthPluginKitTests", dependencies: ["HearthPlugin", "HearthPluginKit", "HearthTree"],
      swiftSettings: house),
    // An identity provider for tests: keys, certificates, and answers signed as tests want them.
    .target(
      name: "SAMLTestKit", dependencies: ["COpenSSL", "HearthCrypto"], path: "Tests/SAMLTestKit", swiftSettings: house),
    .testTarget(
      name: "HearthSAMLTests", dependencies: ["HearthCrypto", "HearthSAML", "SAMLTestKit"], swiftSettings: house),
    // An authenticator in software.
    .target(
      name: "PasskeyTestKit", dependencies: ["COpenSSL", "HearthCrypto"], path: "Tests/PasskeyTestKit",
      swiftSettings: house),
    .testTarget(
      name: "HearthWebAuthnTests",
      dependencies: [
        "HearthCrypto", "HearthPlugin", "HearthTree", "HearthWebAuthn", "PasskeyTestKit", "RandomTestKit",
      ],
      swiftSettings: house),
    .testTarget(name: "HearthProgramTests", dependencies: ["HearthProgram"], swiftSettings: house),
    .testTarget(
      name: "HearthConsoleTests", dependencies: ["HearthConsole", "HearthCrypto", "HearthTree"], swiftSettings: house),
    .testTarget(name: "HearthDoctorTests", dependencies: ["HearthDoctor", "HearthTree"], swiftSettings: house),
    .testTarget(
      name: "HearthMetricsTests",
      dependencies: ["HearthMetrics", .product(name: "CoreMetrics", package: "swift-metrics")], swiftSettings: house),
    .testTarget(name: "HearthSystemTests", dependencies: ["HearthSystem"], swiftSettings: house),
    .testTarget(name: "HearthOutboundTests", dependencies: ["HearthOutbound"], swiftSettings: house),
    .testTarget(
      name: "HearthAccountsTests",
      dependencies: [
        "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal",
        "HearthPlugin", "HearthRules", "HearthSQLite", "HearthSystem", "HearthTestKit", "HearthTree", "RandomTestKit",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthIdentityTests",
      dependencies: [
        "HearthAccounts", "HearthCrypto", "HearthEngine", "HearthIdentity", "HearthPlugin", "HearthSAML",
        "HearthTestKit", "HearthTree", "HearthWebAuthn", "PasskeyTestKit", "RandomTestKit", "SAMLTestKit",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthRulesTests", dependencies: ["HearthRules", "HearthTree", "RandomTestKit"],
      resources: [.copy("Conformance")], swiftSettings: house),
    .testTarget(
      name: "HearthExposureTests", dependencies: ["HearthExposure", "HearthRules", "HearthTree", "RandomTestKit"],
      resources: [.copy("Corpus")], swiftSettings: house),
    .testTarget(
      name: "HearthOutboxTests",
      dependencies: [
        "HearthDatabase", "HearthEngine", "HearthJournal", "HearthOutbound", "HearthOutbox", "HearthPlugin",
        "HearthRules",
        "HearthTree",
        "HearthTriggers", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthTriggersTests", dependencies: ["HearthCrypto", "HearthTree", "HearthTriggers", "RandomTestKit"],
      swiftSettings: house),
    .testTarget(
      name: "HearthMigrationTests", dependencies: ["HearthMigration", "HearthTree", "RandomTestKit"],
      swiftSettings: house),
    .testTarget(
      name: "HearthTrialTests",
      dependencies: ["HearthEngine", "HearthRules", "HearthTree", "HearthTrial", "RandomTestKit"],
      swiftSettings: house),
    .testTarget(
      name: "HearthWireTests", dependencies: ["HearthWire", "HearthTree", "RandomTestKit"], swiftSettings: house),
    .testTarget(
      name: "HearthClientTests",
      dependencies: [
        "HearthClient", "HearthServer", "HearthSync", "HearthTestKit", "HearthTree", "HearthWire", "LiveServerKit",
        "RandomTestKit", "ServerTestKit",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthClientLegacyTests",
      dependencies: [
        "HearthClient", "HearthClientLegacy", "HearthTestKit", "HearthTree", "LiveServerKit", "ServerTestKit",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthSyncTests", dependencies: ["HearthSync", "HearthSyncScenarios", "HearthTree", "RandomTestKit"],
      resources: [.copy("Scenarios")], swiftSettings: house),
    // Disks that fail: calls on files are taken over by name, in the tests' own program.
    .target(name: "CDiskTap", path: "Tests/CDiskTap"),
    .testTarget(
      name: "DiskTests",
      dependencies: [
        "CDiskTap", "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal",
        "HearthProgram", "HearthSQLite", "HearthSystem", "HearthTestKit", "HearthTree", "RandomTestKit",
      ],
      swiftSettings: house),
    // Nodes, clients and faults on a time of their own, over any store, and what judges a run.
    .target(
      name: "ClusterSimulation", dependencies: ["HearthCluster", "HearthJournal", "RandomTestKit"],
      path: "Tests/ClusterSimulation", swiftSettings: house),
    // Certificates of nodes.
    .target(
      name: "LinkTestKit", dependencies: ["HearthCrypto", "HearthNode"], path: "Tests/LinkTestKit",
      swiftSettings: house),
    .testTarget(
      name: "HearthNodeTests",
      dependencies: [
        "HearthCluster", "HearthNode", "HearthTestKit", "LinkTestKit",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthClusterTests",
      dependencies: ["ClusterSimulation", "HearthCluster", "HearthJournal", "RandomTestKit"],
      swiftSettings: house),
    .testTarget(name: "HearthJournalTests", dependencies: ["HearthJournal", "HearthTestKit"], swiftSettings: house),
    .testTarget(
      name: "HearthSQLiteTests",
      dependencies: [
        "HearthJournal", "HearthSQLite", "HearthTestKit", "RandomTestKit",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthPostgresTests",
      dependencies: [
        "CPostgres", "ClusterSimulation", "HearthCluster", "HearthJournal", "HearthNode", "HearthPostgres",
        "HearthTestKit", "LinkTestKit", "RandomTestKit",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthBackupTests",
      dependencies: [
        "HearthBackup", "HearthCrypto", "HearthEngine", "HearthJournal", "HearthRules", "HearthSQLite", "HearthTestKit",
        "HearthTree", "RandomTestKit",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthEngineTests",
      dependencies: ["HearthEngine", "HearthRules", "HearthTree", "HearthTestKit", "RandomTestKit"],
      swiftSettings: house),
    .testTarget(
      name: "HearthWorkbenchTests",
      dependencies: [
        "HearthEngine", "HearthExposure", "HearthRules", "HearthRulesTesting", "HearthTree", "HearthWorkbench",
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthDatabaseTests",
      dependencies: [
        "HearthDatabase", "HearthEngine", "HearthJournal", "HearthMetrics", "HearthRules", "HearthTree", "HearthTrial",
        "HearthTestKit", "RandomTestKit",
      ],
      swiftSettings: house),
    // What tests of the three targets with sockets share.
    .target(
      name: "ServerTestKit",
      dependencies: [
        "HearthSystem", "HearthTransport", "RandomTestKit",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      path: "Tests/ServerTestKit", swiftSettings: house),
    // Servers with accounts, on ports of their own, for tests of the server and of clients.
    .target(
      name: "LiveServerKit",
      dependencies: [
        "HearthAccounts", "HearthCrypto", "HearthGateway", "HearthPlugin", "HearthServer", "HearthTestKit",
        "HearthTransport", "HearthTree", "RandomTestKit", "ServerTestKit",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/LiveServerKit", swiftSettings: house),
    .testTarget(
      name: "HearthTransportTests",
      dependencies: [
        "HearthMetrics", "HearthTestKit", "HearthTransport", "RandomTestKit", "ServerTestKit",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthGatewayTests",
      dependencies: [
        "HearthAccounts", "HearthCrypto", "HearthEngine", "HearthGateway", "HearthRules", "HearthTestKit",
        "HearthTransport", "HearthTree", "HearthTrial", "HearthWire", "RandomTestKit", "ServerTestKit",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      swiftSettings: house),
    .testTarget(
      name: "HearthServerTests",
      dependencies: [
        "HearthAccounts", "HearthConsole", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthGateway",
        "HearthIdentity",
        "HearthMetrics", "HearthPlugin", "HearthPluginHost", "HearthRules", "HearthServer", "HearthTestKit",
        "HearthTransport",
        "HearthTree", "HearthTrial", "HearthWire", "LiveServerKit", "RandomTestKit", "ServerTestKit",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      resources: [.copy("Scenarios/Data")], swiftSettings: house),
    .testTarget(name: "ProjectTests", swiftSettings: house),
    fuzzing,

    // Examples of the guides that must go on to compile.
    .executableTarget(
      name: "Door", dependencies: ["HearthPlugin", "HearthPluginKit"], path: "Tests/Examples/Door",
      exclude: ["plugin.json", "plugin-tests.json"], swiftSettings: house),
    .executableTarget(
      name: "Chat", dependencies: ["HearthClient"], path: "Tests/Examples/Chat", swiftSettings: house),

    // Benchmarks of single modules: programs that print numbers.
    .executableTarget(
      name: "TreeBench", dependencies: ["HearthTree", "CMalloc"], path: "Tests/Benchmarks/TreeBench",
      swiftSettings: house),
    .executableTarget(
      name: "ExposureBench", dependencies: ["HearthExposure", "HearthRules"], path: "Tests/Benchmarks/ExposureBench",
      swiftSettings: house),
    .executableTarget(
      name: "JournalBench", dependencies: ["HearthJournal", "HearthPostgres", "HearthSQLite"],
      path: "Tests/Benchmarks/JournalBench", swiftSettings: house),
  ]
    + Plugin.all.map { plugin in
      .target(
        name: plugin.target,
        dependencies: ["HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthTree", "HearthWebAuthn"],
        path: "Plugins/" + plugin.folder, exclude: ["README.md"], swiftSettings: house)
    }
    + (hasTestRules
      ? [
        .plugin(
          name: "TestRules",
          capability: .command(
            intent: .custom(verb: "test-rules", description: "Run the package's security rules tests.")),
          // It builds `hearth-rules` when it runs. As a dependency here, the program and all its modules would be compiled a
          // second time, as a tool, in every build of the package.
          path: "Plugins/" + packageCommand, exclude: ["README.md"])
      ] : [])
    + (Plugin.all.isEmpty
      ? []
      : [
        .testTarget(
          name: "PluginTests",
          dependencies: [
            "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthTree", "HearthWebAuthn", "PasskeyTestKit",
          ]
            + Plugin.all.map { .target(name: $0.target) },
          path: "Tests/PluginTests", swiftSettings: house + Plugin.all.map { .define($0.condition) })
      ])
)

// Long runs are of a few targets in an optimised build: only those that are named here are tests then.
if let names = Context.environment["HEARTH_TESTS"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name[...]) }
}
