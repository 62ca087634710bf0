import ArgumentParser
import HearthProgram
import HearthServer
import HearthSystem
import HearthTransport
import HearthTree

/// The command `hearth migrate folder`.
struct MigrateFolder: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "folder",
    abstract:
      "Copy a data folder's databases and accounts into a \(JournalEngines.products), or back, and verify them by hash.",
    discussion: """
      Copies databases with the rules in force, accounts, waiting events and dead letters, for `hearth serve \
      --journal`. Everything else, such as keys, stays in the folder, which is still needed. The history that `hearth \
      db history` reads is not copied. No server may run meanwhile.

      Each copy is read back and compared with its source: position, running hash, and a hash of the state. The copies \
      are put in place together after the last comparison. After an interruption, run the same command again: it \
      compares what is already in place, and copies the rest anew. The source is not changed. Existing databases that \
      differ are not overwritten.
      """)

  @Argument(help: ArgumentHelp("The data folder; created for --from if it is missing.", valueName: "folder"))
  var folder: String

  @Option(help: ArgumentHelp("Copy from the folder into this \(JournalEngines.products).", valueName: "url"))
  var to: String?

  @Option(help: ArgumentHelp("Copy from this \(JournalEngines.products) into the folder.", valueName: "url"))
  var from: String?

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  func validate() throws {
    guard (to == nil) != (from == nil) else {
      throw ValidationError(
        "Give --to URL to copy the databases out of the folder, or --from URL to copy them into it.")
    }
    guard let url = to ?? from else { return }
    do { _ = try JournalLocation(url: url) } catch {
      throw ValidationError("\(to == nil ? "--from" : "--to"): \(error).")
    }
  }

  func run() throws {
    // Every database is locked against servers by an open file.
    OpenFiles.raiseLimit()
    do {
      if let to { try copy(to: to) } else if let from { try copy(from: from) }
    } catch {
      throw AdminFailure("\(error)")
    }
  }

  private func copy(to url: String) throws {
    var settings = FolderSettings.read(in: folder)
    if let journal = settings.journal {
      throw AdminFailure(
        "the databases of \(folder) are in \(JournalEngines.product(of: journal)) already: --journal '\(journal)'")
    }
    var moved: [JournalMove.Moved] = []
    try with(url) { try $0.toStore { show($0, &moved) } }
    settings.journal = url
    try settings.write(in: folder)
    finish(moved)
    guard !json else { return }
    Output.line(
      "The databases of \(folder) are in \(JournalEngines.product(of: url)); start it with: \(Self.start(folder)) "
        + "--journal '\(url)'")
    Output.note("Their files in \(folder) stay as they are, but no server uses them.")
  }

  private func copy(from url: String) throws {
    var settings = FolderSettings.read(in: folder)
    if let journal = settings.journal, journal != url {
      throw AdminFailure(
        "the databases of \(folder) are in another \(JournalEngines.product(of: journal)), '\(journal)': name that "
          + "URL with --from, or another folder"
      )
    }
    var moved: [JournalMove.Moved] = []
    try with(url) { move in
      try move.toFolder {
        // Until all of them are migrated, no server can start with some of them.
        settings.journal = url
        try settings.write(in: folder)
      } _: {
        show($0, &moved)
      }
      settings.journal = nil
      try settings.write(in: folder)
    }
    finish(moved)
    guard !json else { return }
    Output.line("The databases of \(folder) are files in it; start it with: \(Self.start(folder))")
    guard FileVersion(of: HearthServer.Options.keysDirectory(of: folder)) == nil else { return }
    Output.note(
      "The folder has no keys and settings: copy all files except databases and accounts from the folder used with the "
        + "\(JournalEngines.product(of: url)), or the server makes new keys, and what the old keys signed or sealed "
        + "becomes invalid."
    )
  }

  private func with(_ url: String, _ work: (JournalMove) throws -> Void) throws {
    let move = try JournalMove(folder: folder, store: url)
    defer { move.close() }
    for warning in move.warnings { Output.note("\(JournalEngines.product(of: url)): \(warning)") }
    try work(move)
  }

  private func show(_ journal: JournalMove.Moved, _ all: inout [JournalMove.Moved]) {
    all.append(journal)
    guard !json else { return }
    let digest = journal.digest
    var text = "\(journal.name): position \(digest.position), running hash \(digest.runningHash), "
    text += "state \(digest.state.hex)"
    if digest.waitingCount > 0 { text += ", \(NumberFormat.counted(digest.waitingCount, "event")) waiting" }
    if digest.deadCount > 0 { text += ", \(NumberFormat.counted(digest.deadCount, "dead letter"))" }
    Output.line(text + (journal.wasThere ? "; already copied, verified" : "; copied, verified"))
  }

  private func finish(_ moved: [JournalMove.Moved]) {
    guard json else { return }
    Output.json(
      [
        "folder": .string(folder),
        "databases": .array(
          moved.map { journal in
            [
              "name": .string(journal.name), "position": .int(journal.digest.position),
              "runningHash": .string(journal.digest.runningHash.description),
              "stateHash": .string(journal.digest.state.hex), "waiting": .int(Int64(journal.digest.waitingCount)),
              "givenUp": .int(Int64(journal.digest.deadCount)), "wasThere": .bool(journal.wasThere),
            ]
          }),
      ])
  }

  private static func start(_ folder: String) -> String { "hearth serve --data \(folder)" }
}
