import HearthTree
import Synchronization

/// The tenants of a project: a user of one tenant is unknown in all others and in the project itself.
///
/// Their records are in the database of the project's accounts, so that every change, snapshot and backup is of both. A
/// tenant's state in memory is created at its first use.
public final class Tenants: Sendable {
  /// The maximum number of tenants of a project.
  static let countMax = 1_000

  private let context: AccountsContext
  private let known = Mutex<[String: Accounts]>([:])

  /// - Parameter context: the context of the project's own accounts.
  init(of context: AccountsContext) { self.context = context }

  /// True when no tenant exists, without reading any.
  package var isEmpty: Bool { !context.store.view.hasTenants }

  // MARK: Their accounts

  /// The accounts of a tenant.
  ///
  /// - Throws: `tenantNotFound`.
  package func accounts(of id: String) throws(AccountError) -> Accounts {
    guard let accounts = find(id) else { throw AccountError(.tenantNotFound) }
    return accounts
  }

  /// The accounts of a tenant that a request names. An emulator creates an unknown one with all settings enabled, as
  /// the official one does.
  ///
  /// - Throws: `tenantNotFound`; `quotaExceeded` above the limit.
  package func accounts(named id: String) async throws(AccountError) -> Accounts {
    if context.settings.isEmulator, find(id) == nil, TenantRecord.isID(id) {
      try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
        guard transaction.tenant(id) == nil else { return }
        try Self.requireRoom(transaction)
        var tenant = TenantRecord(id: id, createdAtMilliseconds: transaction.now.wallMilliseconds)
        (tenant.allowsPasswords, tenant.allowsEmailLinks, tenant.allowsAnonymous) = (true, true, true)
        (tenant.secondFactorPolicy, tenant.secondFactorProviders) = (.optional, ["PHONE_SMS"])
        transaction.putTenant(tenant)
      }
    }
    return try accounts(of: id)
  }

  /// The accounts of a tenant; nil when there is no such tenant.
  func find(_ id: String) -> Accounts? {
    guard context.store.view.tenant(id) != nil else {
      known.withLock { _ = $0.removeValue(forKey: id) }
      return nil
    }
    return known.withLock { known in
      if let present = known[id] { return present }
      let made = Accounts(
        AccountsContext(
          context.server, store: AccountStore(ofTenant: id, in: context.store), keys: context.keys.copy(tenant: id),
          tenant: (id, context)))
      known[id] = made
      return made
    }
  }

  /// Returns the first tenant's accounts that satisfy the condition, for a request that names no tenant.
  func first(where condition: (AccountView) -> Bool) -> Accounts? {
    let view = context.store.view
    guard view.hasTenants else { return nil }
    for tenant in view.tenants(limit: Self.countMax) {
      guard let accounts = find(tenant.id) else { continue }
      if condition(accounts.store.view) { return accounts }
    }
    return nil
  }

  /// The tenants used since the start, which may have work in progress.
  var used: [Accounts] { known.withLock { Array($0.values) } }

  // MARK: Administration

  /// The tenants in the order of their ids.
  ///
  /// - Parameter id: the last one of the page before; nil begins with the first.
  package func page(after id: String?, limit: Int) -> [TenantRecord] {
    context.store.view.tenants(after: id, limit: limit)
  }

  /// A tenant's settings.
  ///
  /// - Throws: `tenantNotFound`.
  package func settings(of id: String) throws(AccountError) -> TenantRecord {
    guard let tenant = context.store.view.tenant(id) else { throw AccountError(.tenantNotFound) }
    return tenant
  }

  /// The settings in effect for a tenant.
  package func configuration(of tenant: TenantRecord) -> AccountsConfiguration { context.settings.value(for: tenant) }

  /// Creates a tenant. Its id begins like its name, and was never used.
  ///
  /// - Parameters:
  ///   - settings: stored in ``TenantRecord/changes``, in the form of ``ConfigurationAdministration``.
  ///   - change: sets the values that are not among `settings`.
  /// - Throws: `quotaExceeded` above the limit; `invalidArgument` for settings that would also be invalid in the
  ///   configuration file.
  package func create(
    by administrator: Administrator, settings: JSON? = nil, _ change: @escaping @Sendable (inout TenantRecord) -> Void
  ) async throws(AccountError) -> TenantRecord {
    let (secrets, project) = (context.secrets, context.settings)
    return try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> TenantRecord in
      try Self.requireRoom(transaction)
      var tenant = TenantRecord(id: "", createdAtMilliseconds: transaction.now.wallMilliseconds)
      // As on the official emulator; elsewhere the project's setting applies until it is changed.
      if project.isEmulator { tenant.secondFactorPolicy = .off }
      change(&tenant)
      if let settings { try project.merge(settings, into: &tenant) }
      let stem = (tenant.displayName ?? "tenant").lowercased()
      repeat {
        do { tenant.id = "\(stem)-\(try secrets.tenantSuffix())" } catch { throw AccountError(.unavailable) }
      } while transaction.isTenantIDUsed(tenant.id)
      transaction.putTenant(tenant)
      transaction.audit(administrator.event(.configurationChanged, detail: "tenant \(tenant.id) made"))
      return tenant
    }
  }

  /// Changes a tenant's settings, from the next request on. Disabling it invalidates its users' tokens and signs out
  /// their connections.
  ///
  /// - Parameters:
  ///   - settings: stored in ``TenantRecord/changes``, in the form of ``ConfigurationAdministration``.
  ///   - change: sets the values that are not among `settings`.
  /// - Throws: `tenantNotFound`; `invalidArgument` for settings that would also be invalid in the configuration file.
  package func change(
    _ id: String, by administrator: Administrator, settings: JSON? = nil,
    _ change: @escaping @Sendable (inout TenantRecord) -> Void
  ) async throws(AccountError) -> TenantRecord {
    let (tenant, isNewlyDisabled) = try await context.store.transact {
      [project = context.settings] (transaction: inout AccountTransaction) throws(AccountError) -> (TenantRecord, Bool)
      in
      guard var tenant = transaction.tenant(id) else { throw AccountError(.tenantNotFound) }
      let wasDisabled = tenant.isDisabled
      change(&tenant)
      if let settings { try project.merge(settings, into: &tenant) }
      tenant.id = id
      transaction.putTenant(tenant)
      transaction.audit(administrator.event(.configurationChanged, detail: "tenant \(id) changed"))
      return (tenant, tenant.isDisabled && !wasDisabled)
    }
    if isNewlyDisabled { context.announce(.tenant(id: id), .userDisabled) }
    return tenant
  }

  /// Deletes a tenant with all its users: their tokens become invalid, and their connections are signed out.
  ///
  /// - Throws: `tenantNotFound`.
  package func delete(_ id: String, by administrator: Administrator) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard transaction.tenant(id) != nil else { throw AccountError(.tenantNotFound) }
      transaction.deleteTenant(id)
      transaction.audit(administrator.event(.configurationChanged, detail: "tenant \(id) deleted"))
    }
    known.withLock { _ = $0.removeValue(forKey: id) }
    context.announce(.tenant(id: id), .userDeleted)
  }

  private static func requireRoom(_ transaction: AccountTransaction) throws(AccountError) {
    guard transaction.tenantCount < countMax else {
      throw AccountError(.quotaExceeded, "A project can have at most \(countMax) tenants.")
    }
  }
}
