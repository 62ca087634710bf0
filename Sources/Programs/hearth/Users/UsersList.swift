import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth users list`.
struct UsersList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List accounts, in order of uid.",
    discussion: "With --json, prints an array with one account on each line.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Option(help: ArgumentHelp("The maximum number of accounts to list; 0 for all.", valueName: "count"))
  var limit = 0

  func validate() throws {
    guard limit >= 0 else { throw ValidationError("--limit must not be negative.") }
  }

  func run() async throws {
    let limit = limit == 0 ? Int.max : limit
    try await admin.run(in: tenant) { admin in
      var listing = Listing(isJSON: admin.printsJSON)
      var next: String?
      repeat {
        let page = try await admin.page(after: next, limit: min(1000, limit - listing.count))
        for user in page.users { listing.add(UserView(json: user)) }
        next = page.users.isEmpty ? nil : page.next
      } while next != nil && listing.count < limit
      listing.end()
    }
  }

  /// A list that is printed page by page as JSON, or at the end as a table, whose column widths depend on all rows.
  private struct Listing {
    let isJSON: Bool
    private(set) var count = 0
    private var table = TextTable(head: UserView.columns)

    init(isJSON: Bool) {
      self.isJSON = isJSON
      if isJSON { Output.raw([UInt8(ascii: "[")], to: 1) }
    }

    mutating func add(_ user: UserView) {
      if isJSON {
        Output.raw(Array((count == 0 ? "\n" : ",\n").utf8) + user.json.text(), to: 1)
      } else {
        table.add(user.cells)
      }
      count += 1
    }

    func end() {
      if isJSON {
        Output.line("]")
      } else {
        if count > 0 { Output.line(table.text) }
        Output.note(count == 1 ? "1 account" : "\(count) accounts")
      }
    }
  }
}

/// The command `hearth users show`.
struct UsersShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show an account.")

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Argument(help: UserSelector.help)
  var user: UserSelector

  func run() async throws {
    try await admin.run(in: tenant) { admin in
      let found = try await user.find(admin)
      admin.report(found.json, found.description)
    }
  }
}
