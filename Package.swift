// swift-tools-version: 6.2
import PackageDescription

// The layers of the house, lowest first. `Tests/ProjectTests/LayerTests.swift` holds the table of who may
// import whom; SwiftPM alone would let a target import what it only reaches transitively.

/// Every target of ours: Swift 6 mode, and no warning passes.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "hearth",
  platforms: [.macOS(.v15)],
  targets: [
    // Layer 0: system libraries. A module map and at most a thin shim.
    .systemLibrary(name: "CJWT", pkgConfig: "libjwt", providers: [.apt(["libjwt-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

    // Layer 1: pure values.
    .target(name: "HearthCrypto", dependencies: ["CJWT", "COpenSSL"], swiftSettings: house),
    .testTarget(name: "HearthCryptoTests", dependencies: ["HearthCrypto", "CJWT", "COpenSSL"], swiftSettings: house),
  ]
)
