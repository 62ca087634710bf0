import Foundation
import PackagePlugin

/// Writes the list of the built-in plugins while the package is built: `BuiltInPlugins.all`, with the constant
/// `builtIn` of each plugin module that the target depends on (its name ends in `Plugin`).
@main struct BuiltInList: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let modules = target.dependencies.compactMap { dependency -> String? in
      guard case .target(let module) = dependency, module.name != "HearthPlugin", module.name.hasSuffix("Plugin") else {
        return nil
      }
      return module.name
    }.sorted()
    let lines =
      ["import HearthPlugin"] + modules.map { "import \($0)" } + [
        "extension BuiltInPlugins {", "  static let all: [BuiltInPlugin] = [",
      ] + modules.map { "    \($0).builtIn," } + ["  ]", "}", ""]
    let folder = context.pluginWorkDirectoryURL
    let (draft, list) = (folder.appending(path: "list.txt"), folder.appending(path: "BuiltInPlugins+All.swift"))
    let text = Data(lines.joined(separator: "\n").utf8)
    // An unchanged file is not written again, so that nothing is built again.
    if (try? Data(contentsOf: draft)) != text { try text.write(to: draft) }
    return [
      .buildCommand(
        displayName: "List the built-in plugins", executable: URL(filePath: "/bin/cp"),
        arguments: [draft.path, list.path], inputFiles: [draft], outputFiles: [list])
    ]
  }
}
