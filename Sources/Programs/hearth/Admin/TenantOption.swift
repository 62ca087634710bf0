import ArgumentParser
import HearthAccounts

/// The option `--tenant` for commands on the accounts of a tenant.
struct TenantOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("Use the accounts of this tenant, instead of the project's own.", valueName: "id"),
    transform: TenantArgument.read)
  var tenant: String?
}

/// The argument for the tenant of a command.
struct TenantArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The tenant's id.", valueName: "id"), transform: TenantArgument.read)
  var id: String

  /// - Throws: for a text that is no valid id and would lead to another path.
  static func read(_ text: String) throws -> String {
    guard TenantRecord.isID(text) else {
      throw ValidationError(
        "A tenant's id has letters, digits and hyphens; hearth tenants list shows the tenants.")
    }
    return text
  }
}
