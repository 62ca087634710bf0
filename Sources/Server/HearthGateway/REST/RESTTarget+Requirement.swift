import HearthCrypto

/// The operations of the REST API, by their requirements.
enum RESTOperation: String, Sendable, CaseIterable {
  case data, past, checksum, upload
  case rules, rulesVersions, rulesRollback, rulesDecisions, stagedRules, rulesPromotion, rulesets, rulesetLabels
  case setting, triggers, denial, history, databaseManagement, databases, coverage
  case receipts, metrics

  /// Returns the requirement of the operation. The list has no default on purpose: a new operation declares its own.
  func requirement(of method: RESTRequest.Method) -> Requirement {
    let isRead = method.isRead
    switch self {
    case .data: return .rules
    case .past: return .permission(.readPast)
    case .upload: return .permission(.changeDatabases)
    case .rules, .rulesVersions, .rulesetLabels: return .permission(isRead ? .readDatabases : .deployRules)
    case .rulesRollback, .rulesPromotion: return .permission(.deployRules)
    case .checksum, .rulesDecisions, .denial, .history, .receipts, .metrics: return .permission(.readDatabases)
    case .stagedRules, .rulesets, .setting, .triggers: return .permission(isRead ? .readDatabases : .changeDatabases)
    case .databaseManagement where method == .delete: return .permission(.deleteDatabase)
    case .databaseManagement: return .permission(isRead ? .readDatabases : .changeDatabases)
    case .databases, .coverage: return .permissionOrEmulator(.readDatabases)
    }
  }
}

extension RESTRequest {
  /// The requirement of the request.
  var requirement: Requirement { operation.requirement(of: method) }

  private var operation: RESTOperation {
    switch target {
    case .data where wantsEvents: .data
    case .data: at != nil ? .past : wantsChecksum ? .checksum : .data
    case .upload: .upload
    case .rules: .rules
    case .rulesVersions: .rulesVersions
    case .rulesRollback: .rulesRollback
    case .rulesDecisions: .rulesDecisions
    case .stagedRules: .stagedRules
    case .rulesPromotion: .rulesPromotion
    case .rulesets: .rulesets
    case .rulesetLabels: .rulesetLabels
    case .setting: .setting
    case .triggers: .triggers
    case .denial: .denial
    case .history: .history
    case .databaseManagement: .databaseManagement
    case .databases: .databases
    case .coverage: .coverage
    }
  }
}
