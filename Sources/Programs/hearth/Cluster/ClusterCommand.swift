import ArgumentParser
import HearthServer

/// The command `hearth cluster`.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Several servers that serve the same databases, over one \(JournalEngines.products).",
    subcommands: [ClusterInit.self, ClusterStatusCommand.self, ClusterDrain.self])
}
