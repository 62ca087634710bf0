import ArgumentParser
import HearthAccounts

/// `--tenant`: a command is about the accounts of a tenant.
struct TenantOption: ParsableArguments {
  @Option(help: ArgumentHelp("The tenant whose accounts are meant, instead of the project's own.", valueName: "id"))
  var tenant: String?

  func validate() throws {
    if let tenant, !TenantRecord.isID(tenant) {
      throw ValidationError(
        "--tenant \(tenant) can be no tenant's id: letters, digits and hyphens; hearth tenants list shows those that exist."
      )
    }
  }
}
