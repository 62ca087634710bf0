import Foundation
import PackagePlugin

/// Bundles the console's page while the package is built, and writes it as `ConsoleAssets.files`: see `bundle.py` in
/// the target, which does the work.
@main struct ConsolePage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let script = target.directoryURL.appending(path: "bundle.py")
    let page = target.directoryURL.appending(path: "Page")
    let output = context.pluginWorkDirectoryURL.appending(path: "ConsoleAssets+Files.swift")
    let keys: [URLResourceKey] = [.isRegularFileKey]
    let found = FileManager.default.enumerator(at: page, includingPropertiesForKeys: keys)
    let files = (found?.compactMap { $0 as? URL } ?? []).filter {
      (try? $0.resourceValues(forKeys: Set(keys)).isRegularFile) == true
    }
    return [
      // Debian's own Python, which has the fonts' tools.
      .buildCommand(
        displayName: "Bundle the console's page", executable: URL(filePath: "/usr/bin/python3"),
        arguments: [script.path, page.path, context.pluginWorkDirectoryURL.path, output.path],
        inputFiles: [script] + files.sorted { $0.path < $1.path }, outputFiles: [output])
    ]
  }
}
