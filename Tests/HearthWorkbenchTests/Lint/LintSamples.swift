import HearthWorkbench
import Testing

/// Rules with a lint finding, and similar rules without one.
struct LintSample: Sendable, CustomTestStringConvertible {
  var code: LintCode
  /// The content of `rules`.
  var found: String
  /// The text to which the finding refers.
  var at: String
  /// Similar content without a finding of this code.
  var silent: String

  var testDescription: String { "\(code.rawValue): \(found)" }

  init(_ code: LintCode, _ found: String, at: String, silent: String) {
    self.code = code
    self.found = found
    self.at = at
    self.silent = silent
  }
}

extension LintSample {
  static let all = grants + places + deletes + comparisons + claims + nulls

  private static let grants = [
    LintSample(
      .shadowedRule, #""a": {".read": true, "b": {".read": "auth != null && auth.uid == 'x'"}}"#, at: "auth != null",
      silent: #""a": {"c": {".read": true}, "b": {".read": "auth != null && auth.uid == 'x'"}}"#),
    LintSample(
      .shadowedRule, #""a": {".write": "1 == 1 || auth == null", "$b": {".write": "newData.exists()"}}"#,
      at: "newData", silent: #""a": {".read": true, "$b": {".write": "newData.exists()"}}"#),
    LintSample(
      .impliedRule, #""u": {".read": "auth != null", "$uid": {".read": "$uid == auth.uid"}}"#, at: "$uid == auth",
      silent: #""u": {".read": "auth.token.staff == true", "$uid": {".read": "$uid == auth.uid"}}"#),
    LintSample(
      .impliedRule,
      #""r": {"$r": {".write": "data.child('owner').val() == auth.uid && auth != null", "m": {".write": "auth != null && auth.uid == data.parent().child('owner').val() && newData.exists()"}}}"#,
      at: "auth != null && auth.uid",
      silent:
        #""r": {"$r": {".write": "data.child('owner').val() == auth.uid && auth != null", "m": {".write": "auth != null && auth.uid == data.child('owner').val() && newData.exists()"}}}"#
    ),
    // The first alternative may cause an error, and then the second is not evaluated.
    LintSample(
      .impliedRule,
      #""a": {".read": "auth.token.x == 1 || auth.token.y == 2", "b": {".read": "auth.token.y == 2"}}"#,
      at: "auth.token.y == 2\"}",
      silent: #""a": {".read": "auth.token.x > 1 || auth.token.y == 2", "b": {".read": "auth.token.y == 2"}}"#),
    LintSample(
      .revokingFalse, #""a": {".write": "auth.token.admin == true", "b": {".write": false}}"#, at: "false",
      silent: #""a": {".write": false, "b": {".write": false, ".read": "auth.token.admin == true"}}"#),
    LintSample(
      .constantRule, #""a": {".read": "auth.token.x == 1 || 'a' != 'b'"}"#, at: "'a' != 'b'",
      silent: #""a": {".read": "auth.token.x == 1 || auth.token.a != 'b'"}"#),
    LintSample(
      .constantRule, #""a": {"$k": {".read": "auth != null && $k == null"}}"#, at: "$k == null",
      silent: #""a": {"$k": {".read": "auth != null && $k == auth.uid"}}"#),
  ]

  private static let places = [
    LintSample(.openRoot, #"".read": true"#, at: "true", silent: #""a": {".read": true}"#),
    LintSample(
      .wideWrite, #""a": {".write": "auth != null"}"#, at: "auth", silent: #""a": {"$b": {".write": "auth != null"}}"#),
    LintSample(
      .deadValidate, #""a": {".validate": "newData.isString()", ".write": false}"#, at: "newData",
      silent: #""a": {".validate": "newData.hasChildren()", "$b": {".write": "auth.token.x == 1"}}"#),
    LintSample(
      .unusedWildcard, #""users": {"$id": {".write": "auth != null"}}"#, at: "auth",
      silent: #""users": {"$id": {".write": "auth != null", "own": {".validate": "auth.uid == $id"}}}"#),
    LintSample(
      .unusedWildcard, #""inbox": {"$uid": {"$m": {".write": "auth != null && newData.exists()"}}}"#, at: "auth",
      silent: #""inbox": {"$uid": {"$m": {".write": "auth.token.admin == true && newData.exists()"}}}"#),
    LintSample(
      .checkWarning, #""a": {"$x": {"$x": {".read": "$x == auth.uid"}}}"#, at: "\"$x\": {\".read\"",
      silent: #""a": {"$x": {"$y": {".read": "$x == auth.uid"}}}"#),
  ]

  private static let deletes = [
    LintSample(
      .deleteSkipsValidate,
      #""a": {"$k": {".write": "auth != null", ".validate": "newData.exists() && newData.isString()"}}"#,
      at: "newData.exists()",
      silent:
        #""a": {"$k": {".write": "auth != null && newData.exists()", ".validate": "newData.exists() && newData.isString()"}}"#
    ),
    LintSample(
      .deleteSkipsValidate,
      #""a": {"$k": {".write": "auth != null", "t": {".validate": "newData.exists()"}}}"#, at: "newData",
      silent:
        #""a": {"$k": {".write": "auth != null", ".validate": "newData.hasChildren(['t'])", "t": {".validate": "newData.exists()"}}}"#
    ),
    LintSample(
      .deleteSkipsValidate, #""a": {"$k": {".write": "auth != null", ".validate": "!data.exists()"}}"#, at: "!data",
      silent:
        #""a": {"$k": {".write": "auth != null && (!data.exists() || auth.token.x == 1)", ".validate": "!data.exists()"}}"#
    ),
    LintSample(
      .deleteSkipsValidate,
      #""a": {"$k": {".write": "auth != null", "f": {".validate": "auth.token.admin == true"}}}"#, at: "auth.token",
      silent:
        #""a": {"$k": {".write": "auth.token.admin == true", "f": {".validate": "auth.token.admin == true && newData.val() == auth.uid"}}}"#
    ),
  ]

  private static let comparisons = [
    LintSample(
      .typeMismatch, #""a": {"$k": {".read": "auth != null && $k == 5"}}"#, at: "$k == 5",
      silent: #""a": {"$k": {".read": "auth != null && $k == '5'"}}"#),
    LintSample(
      .typeMismatch, #""a": {".read": "auth.uid == true || auth.token.x == 1"}"#, at: "auth.uid == true",
      silent: #""a": {".read": "auth.uid == null || auth.token.uid_is == true || auth.token.x == 1"}"#),
    LintSample(
      .typeMismatch, #""a": {"$k": {".read": "$k > 5 && auth != null"}}"#, at: "$k > 5",
      silent: #""a": {"$k": {".read": "$k > '5' && $k.length > 5 && auth != null"}}"#),
    LintSample(
      .textBoolean, #""a": {".read": "data.child('open').val() == 'true'"}"#, at: "data",
      silent: #""a": {".read": "data.child('open').val() == true"}"#),
    LintSample(
      .textBoolean, #""a": {".read": "auth.token.admin == 'true'"}"#, at: "auth",
      silent:
        #""a": {".write": "auth.token.admin == 'yes'", ".validate": "newData.val() == 'true' || newData.val() == 'false'"}"#
    ),
    LintSample(
      .secondsNotMilliseconds, #""a": {".read": "now < 1800000000"}"#, at: "now",
      silent: #""a": {".read": "now < 1800000000000 && now - data.child('t').val() < 60000"}"#),
  ]

  private static let claims = [
    LintSample(
      .misplacedClaim, #""a": {".read": "auth.email == 'a@example.com'"}"#, at: "auth.email",
      silent: #""a": {".read": "auth.token.email == 'a@example.com' && auth.provider == 'password'"}"#),
    LintSample(
      .misplacedClaim, #""a": {"$k": {".read": "$k == auth.id"}}"#, at: "auth.id",
      silent: #""a": {"$k": {".read": "$k == auth.uid"}}"#),
    LintSample(
      .misspelledClaim, #""a": {".read": "auth.token.emailVerified == true"}"#, at: "auth.token.email",
      silent: #""a": {".read": "auth.token.email_verified == true && auth.token.verified == true"}"#),
    LintSample(
      .secretClaim, #""a": {".read": "auth.role == 'x'"}"#, at: "auth.role",
      silent: #""a": {".read": "auth.token.role == 'x'"}"#),
  ]

  private static let nulls = [
    LintSample(
      .nullEqualsNull, #""a": {"$k": {".write": "auth.uid == data.child('owner').val()"}}"#, at: "auth",
      silent: #""a": {"$k": {".write": "auth != null && auth.uid == data.child('owner').val()"}}"#),
    LintSample(
      .nullEqualsNull, #""a": {"$k": {".write": "data.exists() && auth.uid == data.child('o').val()"}}"#,
      at: "auth",
      silent: #""a": {"$k": {".write": "data.child('o').exists() && auth.uid == data.child('o').val()"}}"#),
    LintSample(
      .nullEqualsNull,
      #""a": {"$k": {".read": "auth == null ? false : true || data.val() == auth.uid", ".write": "data.val() == auth.uid || auth.token.x == 1"}}"#,
      at: "data.val() == auth.uid || auth.token",
      silent:
        #""a": {"$k": {".read": "auth == null ? false : data.val() == auth.uid", ".write": "root.child('m').child(auth.uid).exists() && data.val() == auth.uid"}}"#
    ),
  ]
}
