import HearthRules

/// The rules' decision on a write.
enum WritePermission {
  /// The write is allowed. The grant is nil when records have none (see ``EngineLimits/recordsAuthors``), and for
  /// administrators, for whom no rule is evaluated.
  case granted(CommitGrant?)
  /// The write is refused; the decision is nil when it did not depend on the rules.
  case refused(Decision?)

  var isGranted: Bool { if case .granted = self { true } else { false } }
}
