import ArgumentParser
import HearthTree

/// The command `hearth revocations`.
struct RevocationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revocations",
    abstract: "List the receipts of lost permissions: cancelled listeners, time and reason.",
    discussion: """
      A receipt names the cause (a write, new rules, an expired credential, an account that was disabled or signed \
      out), the number of examined, kept and cancelled listeners, and the time until the last cancellation was sent. \
      In a cluster, the receipt of the accounts' owner node for a revocation covers the clients of all nodes. Reads \
      from the running server, or from the folder's files if no server runs. With --json, prints one receipt on each \
      line.
      """)

  @OptionGroup var admin: AdminOptions

  @Option(help: ArgumentHelp("Show only the receipts of this database.", valueName: "name"))
  var ns: String?

  @Option(help: ArgumentHelp("Show only the receipts of this cluster node.", valueName: "name"))
  var node: String?

  @Option(
    name: [.customShort("n"), .long], help: ArgumentHelp("The number of newest receipts to show.", valueName: "count"))
  var limit = 20

  @Option(help: ArgumentHelp("Show only the receipts of the revocation with this number.", valueName: "number"))
  var revocation: Int64?

  @Flag(help: "List the cancelled listeners that each receipt names.")
  var listeners = false

  @Flag(name: [.customShort("f"), .long], help: "Print new receipts as they are added, until interrupted.")
  var follow = false

  func validate() throws {
    guard (1...1_000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    guard revocation.map({ $0 > 0 }) ?? true else { throw ValidationError("--revocation must be a positive number.") }
  }

  func run() async throws {
    try await admin.run { admin in
      guard !follow || admin.channel.isServer else {
        throw AdminFailure("--follow needs a running server; \(admin.place) has only past receipts")
      }
      var request = ReceiptRequest(node: node, database: ns, revocation: revocation, limit: limit)
      while true {
        let start = ContinuousClock.now
        let page = try await admin.receipts(request)
        for receipt in page.receipts { ReceiptLine(receipt: receipt).print(admin, withListeners: listeners) }
        guard follow else { break }
        request = ReceiptRequest(node: node, database: ns, revocation: nil, limit: 1_000)
        request.after = page.receipts.last?["id"]?.int ?? page.last
        request.waitSeconds = ReceiptRequest.waitSecondsMax
        // A server at its limit of waiting requests answers at once, with nothing.
        if page.receipts.isEmpty { try await Task.sleep(until: start + .seconds(1)) }
      }
    }
  }
}
