import ArgumentParser
import HearthCrypto
import HearthProgram
import HearthServer
import HearthTree

/// The command `hearth cluster init`.
struct ClusterInit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create the certificates and keys of a cluster's nodes; run it again for later nodes.",
    discussion: """
      FOLDER/NAME is for the node of that name: a certificate by which other nodes know it, with the key to that, and in keys/ \
      the keys that sign and seal, which are the same on all nodes, so that what one of them issued counts on all. FOLDER/ca is \
      what makes nodes: the key of the authority is in no other place. Nothing that is there is changed: name more nodes later \
      to add them.

      --keys-of takes the keys of a server that has been running by itself, so that its users stay signed in. Certificates are \
      for 5 years, that of the authority is for 10; they are ECDSA on P-256.
      """)

  @Argument(help: ArgumentHelp("The folder to make, or to add to.", valueName: "folder"))
  var folder: String

  @Option(
    help: ArgumentHelp(
      "The nodes' names, with commas between them: labels of DNS names, such as a,b,c.", valueName: "names"))
  var nodes: String

  @Option(help: ArgumentHelp("A data folder whose keys are for all nodes; new ones if not given.", valueName: "dir"))
  var keysOf: String?

  private var names: [String] { nodes.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

  func validate() throws {
    for name in names {
      guard NodeAuthority.isName(name) else {
        throw ValidationError(
          "\"\(name.printable)\" cannot name a node: 1 to 63 of a-z, 0-9 and -, with no - at an end, such as --nodes a,b,c."
        )
      }
      guard name != ClusterFolder.authorityName else {
        throw ValidationError("No node is named \(name): that is the folder of what makes nodes.")
      }
    }
    guard Set(names).count == names.count else { throw ValidationError("--nodes names a node twice: \(nodes).") }
  }

  func run() throws {
    let cluster = ClusterFolder(path: folder, nowMilliseconds: WallClock.nowMilliseconds)
    if try cluster.makeAuthority(keysOf: keysOf) {
      Output.line("\(cluster.authorityPath): made. Keep it where no server runs: whoever has it makes nodes.")
    } else if keysOf != nil {
      throw AdminFailure("the keys of \(folder) are there already, and --keys-of would change them: leave it out")
    }
    var made = false
    for name in names {
      if try cluster.makeNode(name) {
        made = true
        Output.line("\(folder)/\(name): made")
      } else {
        Output.line("\(folder)/\(name): was there, and stays as it is")
      }
    }
    guard made else { return }
    Output.note(
      """

      For each node NAME, on its machine, readable by the server's user alone:
        copy \(folder)/NAME       to a folder of its own, such as /etc/hearth/node
        copy \(folder)/NAME/keys  into its data folder: DATA/keys
        hearth serve --data DATA --cluster '\(JournalEngines.urlStart)…' --cluster-identity /etc/hearth/node \\
          --node NAME=ADDRESS:PORT --peer OTHER=ADDRESS:PORT --peer …
      """)
  }
}
