extension ProviderConfiguration: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    let kind: Kind
    if let stored = try reader.object("oidc") {
      kind = .oidc(try OIDC(stored: stored))
    } else if let stored = try reader.object("saml") {
      kind = .saml(try SAML(stored: stored))
    } else {
      throw RecordDamage("its kind is unknown")
    }
    self.init(id: try reader.text("id"), kind)
    displayName = try reader.optionalText("displayName")
    isEnabled = try reader.bool("enabled")
    emailDomains = try reader.list("emailDomains")
  }

  func store(in writer: inout RecordWriter) {
    writer.set("id", id)
    writer.set("displayName", displayName)
    writer.set("enabled", isEnabled)
    writer.set("emailDomains", list: emailDomains)
    switch kind {
    case .oidc(let oidc): writer.set("oidc", oidc)
    case .saml(let saml): writer.set("saml", saml)
    }
  }
}

extension ProviderConfiguration.OIDC: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(
      issuer: try reader.text("issuer"), clientID: try reader.text("clientId"),
      sealedSecret: try reader.optionalText("secret"), takesCodes: try reader.bool("codes"))
    takesIDTokens = try reader.bool("idTokens")
    // Earlier versions had only the shared redirect URI, and a provider without a page has none registered.
    let hasOwn = try reader.bool("ownRedirect")
    usesSharedRedirectURI = takesCodes && !hasOwn
  }

  func store(in writer: inout RecordWriter) {
    writer.set("issuer", issuer)
    writer.set("clientId", clientID)
    writer.set("secret", sealedSecret)
    writer.set("codes", takesCodes)
    writer.set("idTokens", takesIDTokens)
    writer.set("ownRedirect", !usesSharedRedirectURI)
  }
}

extension ProviderConfiguration.SAML: StoredRecord {
  init(stored reader: RecordReader) throws(RecordDamage) {
    self.init(
      identityProviderID: try reader.text("idp"), signOnURL: try reader.text("url"),
      certificates: try reader.list("certificates"), serviceProviderID: try reader.text("sp"),
      callbackURL: try reader.optionalText("callback"))
    signsRequests = try reader.bool("signs")
    allowsSHA1 = try reader.bool("sha1")
    skewSeconds = try reader.optionalInt("skew")
  }

  func store(in writer: inout RecordWriter) {
    writer.set("idp", identityProviderID)
    writer.set("url", signOnURL)
    writer.set("certificates", list: certificates)
    writer.set("sp", serviceProviderID)
    writer.set("callback", callbackURL)
    writer.set("signs", signsRequests)
    writer.set("sha1", allowsSHA1)
    writer.set("skew", skewSeconds)
  }
}

extension AccountReading {
  /// The configuration of a provider; nil when there is none of that id.
  func providerConfiguration(_ id: String) -> ProviderConfiguration? { records.record(AccountPath.provider(id)) }

  /// The number of provider configurations.
  var providerConfigurationCount: Int { records.root[AccountPath.providers].childCount }

  /// The configurations whose ids begin with `prefix`, in the order of their ids.
  ///
  /// - Parameter id: the last id of the previous page; nil begins with the first.
  func providerConfigurations(prefix: String, after id: String? = nil, limit: Int) -> [ProviderConfiguration] {
    let all = records.root[AccountPath.providers]
    let children = id.map { all.children(from: AccountPath.key($0), isInclusive: false) } ?? all.children
    var page: [ProviderConfiguration] = []
    for (key, node) in children {
      guard page.count < limit else { break }
      guard AccountPath.text(key)?.utf8.starts(with: prefix.utf8) == true else { continue }
      if let found: ProviderConfiguration = records.record(node, at: AccountPath.providers.appending(key)) {
        page.append(found)
      }
    }
    return page
  }
}

extension AccountTransaction {
  mutating func putProviderConfiguration(_ configuration: ProviderConfiguration) {
    draft.replace(AccountPath.provider(configuration.id), with: text(of: configuration))
  }

  mutating func removeProviderConfiguration(_ id: String) { draft.replace(AccountPath.provider(id), with: .empty) }
}
