import Foundation
import PackagePlugin

/// A command plugin for `swift package test-rules [PATH…] [OPTIONS…]`: builds `hearth-rules` and runs the package's
/// rules tests with its `test` command.
@main
struct TestRulesPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let build = try packageManager.build(.product("hearth-rules"), parameters: .init())
    guard build.succeeded, let program = build.builtArtifacts.first(where: { $0.kind == .executable }) else {
      Diagnostics.error("hearth-rules was not built:\n\(build.logText)")
      return
    }
    let process = Process()
    process.executableURL = program.url
    process.arguments = ["test"] + arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      // The failure has been printed already.
      Diagnostics.error("rules tests ended with \(process.terminationStatus)")
      return
    }
  }
}
