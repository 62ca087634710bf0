import ArgumentParser
import HearthServer

/// The command `hearth cluster`.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Manage a cluster: servers that share databases in one \(JournalEngines.products).",
    subcommands: [ClusterInit.self, ClusterStatusCommand.self, ClusterDrain.self])
}
