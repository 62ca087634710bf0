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
      Databases with the rules in force, accounts, events that wait and those that were given up are copied, for `hearth \
      serve --journal`. Everything else stays in the folder, keys above all, and is used together with the \(JournalEngines.products). The \
      past that `hearth db history` looks back at is not copied. No server runs meanwhile.

      Each copy is read back and compared with what it was made of: position, running hash, and a hash of the state. All of \
      them get their places when the last one is whole. What was interrupted is begun anew by the same command; what it had \
      put in its place already is compared and stays. The side that is copied is not changed. Databases that are there already \
      and are others are not overwritten.
      """)

  @Argument(help: ArgumentHelp("The data folder; made for --from when it is missing.", valueName: "folder"))
  var folder: String

  @Option(help: ArgumentHelp("Copy from the folder into this \(JournalEngines.products).", valueName: "url"))
  var to: String?

  @Option(help: ArgumentHelp("Copy from this \(JournalEngines.products) into the folder.", valueName: "url"))
  var from: String?

  @Flag(help: "Answer in JSON, for scripts.")
  var json = false

  func validate() throws {
    guard (to == nil) != (from == nil) else {
      throw ValidationError("Say where the databases go, with --to URL, or where they come from, with --from URL.")
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
    Output.note("Their files in \(folder) stay as they are, and no server uses them any more.")
  }

  private func copy(from url: String) throws {
    var settings = FolderSettings.read(in: folder)
    if let journal = settings.journal, journal != url {
      throw AdminFailure(
        "the databases of \(folder) are in another \(JournalEngines.product(of: journal)), '\(journal)': name that one with --from, or another folder"
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
      "Keys and settings are not there: copy all but databases and accounts from the folder that was used with the "
        + "\(JournalEngines.product(of: url)), or the server makes new keys, and nothing that the old ones signed or sealed counts."
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
    if digest.deadCount > 0 { text += ", \(NumberFormat.counted(digest.deadCount, "event")) given up" }
    Output.line(text + (journal.wasThere ? "; was there, and is the same" : "; copied, and the copy is the same"))
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
