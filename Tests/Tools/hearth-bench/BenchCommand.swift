import ArgumentParser

/// The root command of the load generator. It has one subcommand for each benchmark, so that their options cannot be
/// confused.
@main
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-bench",
    abstract: "Load-test a server and print rates and latencies.",
    subcommands: [
      LoadBench.self, AuthBench.self, BrokerBench.self, ClientBench.self, RulesBench.self, PluginsBench.self,
      TriggersBench.self, OperationsBench.self, QuotasBench.self, GriefingBench.self, HistoryBench.self,
      ClusterBench.self, LargerBench.self,
    ],
    defaultSubcommand: LoadBench.self)
}
