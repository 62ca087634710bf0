import ArgumentParser

/// The load generator. A group, so that no option of one benchmark is taken for another's.
@main
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-bench",
    abstract: "Load a server and print rates and latencies.",
    subcommands: [
      LoadBench.self, AuthBench.self, BrokerBench.self, ClientBench.self, RulesBench.self, PluginsBench.self,
      TriggersBench.self, OperationsBench.self, QuotasBench.self, GriefingBench.self, HistoryBench.self,
      ClusterBench.self,
    ],
    defaultSubcommand: LoadBench.self)
}
