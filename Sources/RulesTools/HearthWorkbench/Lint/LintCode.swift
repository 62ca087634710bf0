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
      "Permissions add up on the way down: take this rule away, or move the grant above down to where it is meant."
    case .impliedRule:
      "Whoever passes this rule passes the one above already. Make the one above stricter, or take this one away."
    case .revokingFalse:
      "A rule cannot take back what one above it grants. Take it away, or move the grant above down to where it is meant."
    case .constantRule: "Write true or false if it is meant, and mend the marked part if it is not."
    case .deadValidate: "Add the .write that it is to check, or take it away."
    case .deleteSkipsValidate:
      "Deleting a place skips its .validate. Put this condition into the .write, which is asked about deletes as well."
    case .missingIndex: "Add the .indexOn. REST refuses the query without it, and clients get all children sent."
    case .unusedWildcard: "To keep users apart, compare it with auth.uid."
    case .typeMismatch: "Nothing is converted. Keys and auth.uid are texts: write '5' for 5, or add + '' to a number."
    case .textBoolean: "A boolean is written without quotes: == true."
    case .misplacedClaim: "auth has uid, provider and token; the token's claims are below auth.token."
    case .misspelledClaim: "A claim that the token does not have is null. Names of claims are written with underscores."
    case .secretClaim:
      "For ID tokens it is null; custom claims are below auth.token. It is there for tokens of a database secret."
    case .secondsNotMilliseconds: "now is in milliseconds since 1970: thirteen digits. Add three zeros to seconds."
    case .nullEqualsNull: "Ask auth != null first: auth.uid is null when signed out, and so is data that is absent."
    case .openRoot:
      "It holds for the whole database, and no rule below takes it back. Grant further down, place by place."
    case .wideWrite: "Every account may overwrite and delete everything here, and anybody may make an account."
    case .checkWarning: "hearth rules check warns of it as well."
    }
  }
}
