import HearthTree

extension AccountReading {
  /// The tenant of that id.
  package func tenant(_ id: String) -> TenantRecord? { records.record(AccountPath.tenantSettings(id)) }

  /// True when there is any tenant.
  package var hasTenants: Bool { !records.root[AccountPath.tenants].isEmpty }

  /// The number of tenants.
  package var tenantCount: Int { records.root[AccountPath.tenants].childCount }

  /// Tenants in the order of their ids.
  ///
  /// - Parameter id: the last one of the page before; nil begins with the first.
  package func tenants(after id: String? = nil, limit: Int) -> [TenantRecord] {
    let all = records.root[AccountPath.tenants]
    let children = id.map { all.children(from: AccountPath.key($0), isInclusive: false) } ?? all.children
    var page: [TenantRecord] = []
    for (key, _) in children {
      guard page.count < limit else { break }
      if let tenant: TenantRecord = records.record(AccountPath.tenants.appending(key).appending(AccountPath.settings)) {
        page.append(tenant)
      }
    }
    return page
  }

  /// The sealed signer key of an import, into the project or into one of its tenants.
  func importKeyAnywhere(_ id: String) -> String? {
    if let key = importKey(id) { return key }
    for (tenant, _) in records.root[AccountPath.tenants].children {
      let path = AccountPath.tenants.appending(tenant).appending(AccountPath.importKey(id))
      if let key = records.text(path) { return key }
    }
    return nil
  }
}

extension AccountTransaction {
  /// Returns true when the id was ever used by a tenant, also by a deleted one.
  func isTenantIDUsed(_ id: String) -> Bool {
    !records.root[AccountPath.tenant(id)].isEmpty || !records.root[AccountPath.endedTenant(id)].isEmpty
  }

  /// Stores a tenant's settings; its accounts stay unchanged.
  mutating func putTenant(_ tenant: TenantRecord) {
    draft.replace(AccountPath.tenantSettings(tenant.id), with: text(of: tenant))
  }

  /// Deletes a tenant with all its users.
  mutating func deleteTenant(_ id: String) {
    draft.replace(AccountPath.tenant(id), with: .empty)
    draft.replace(AccountPath.endedTenant(id), with: Node(.bool(true)))
  }
}
