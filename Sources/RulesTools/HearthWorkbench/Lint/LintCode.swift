/// The kinds of findings of `hearth rules lint`. The raw values are stable, because build scripts identify findings by
/// them.
package enum LintCode: String, Sendable, CaseIterable {
  case shadowedRule = "shadowed-rule"
  case impliedRule = "implied-rule"
  case revokingFalse = "revoking-false"
  case constantRule = "constant-rule"
  case deadValidate = "dead-validate"
  case deleteSkipsValidate = "delete-skips-validate"
  case missingIndex = "missing-index"
  case unusedWildcard = "unused-wildcard"
  case typeMismatch = "type-mismatch"
  case textBoolean = "text-boolean"
  case misplacedClaim = "misplaced-claim"
  case misspelledClaim = "misspelled-claim"
  case secretClaim = "secret-claim"
  case secondsNotMilliseconds = "seconds-not-milliseconds"
  case nullEqualsNull = "null-equals-null"
  case openRoot = "open-root"
  case wideWrite = "wide-write"
  case checkWarning = "check-warning"

  /// The severity of a finding.
  package enum Severity: String, Sendable {
    /// A probable mistake.
    case warning
    /// A finding that should be checked, but is intended in many apps.
    case info
  }

  /// The severity of findings of this kind.
  package var severity: Severity {
    switch self {
    case .secretClaim, .wideWrite: .info
    default: .warning
    }
  }

  /// The advice for fixing findings of this kind.
  package var help: String {
    switch self {
    case .shadowedRule:
      "A grant applies to everything below it. Remove this rule, or move the grant above further down."
    case .impliedRule:
      "Every request that passes this rule also passes the one above. Make that one stricter, or remove this one."
    case .revokingFalse:
      "A rule cannot revoke what a rule above grants. Remove it, or move the grant above further down."
    case .constantRule: "Write true or false if this is intended; otherwise correct the marked part."
    case .deadValidate: "Add the .write rule that it should check, or remove it."
    case .deleteSkipsValidate:
      "Deletes skip .validate. Move this condition to .write, which is also evaluated for deletes."
    case .missingIndex: "Add the .indexOn. Without it REST refuses the query, and SDK clients download all children."
    case .unusedWildcard: "To restrict each user to their own data, compare it with auth.uid."
    case .typeMismatch:
      "Rules do not convert types. Keys and auth.uid are strings: write '5' for 5, or add + '' to a number."
    case .textBoolean: "Write a boolean without quotes: == true."
    case .misplacedClaim: "auth has uid, provider and token; the token's claims are in auth.token."
    case .misspelledClaim: "A claim that the token lacks is null. Names of claims have underscores."
    case .secretClaim:
      "It is null for ID tokens, whose custom claims are in auth.token. Only tokens of a database secret have it."
    case .secondsNotMilliseconds: "now is in milliseconds since 1970, with 13 digits. Multiply seconds by 1000."
    case .nullEqualsNull:
      "Check auth != null first: auth.uid is null for signed-out clients, and missing data is null as well."
    case .openRoot:
      "It applies to the whole database, and no rule below can revoke it. Grant access further down instead."
    case .wideWrite: "Every user can overwrite and delete everything here, and sign-up may be open to all."
    case .checkWarning: "hearth rules check also reports this."
    }
  }
}
