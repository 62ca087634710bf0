import Foundation
import PackagePlugin

/// `swift package test-rules [PATH…] [OPTIONS…]`: runs the package's rules tests with `hearth-rules test`.
@main
struct TestRulesPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let tool = try context.tool(named: "hearth-rules")
    let process = Process()
    process.executableURL = tool.url
    process.arguments = ["test"] + arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      // What failed was said already.
      Diagnostics.error("rules tests ended with \(process.terminationStatus)")
      return
    }
  }
}
