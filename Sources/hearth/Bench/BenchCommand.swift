import ArgumentParser

/// `hearth bench`. A group, so that no option of one benchmark is taken for another's.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Load a server and print rates and latencies.",
    subcommands: [LoadBench.self, AuthBench.self, BrokerBench.self],
    defaultSubcommand: LoadBench.self)
}
