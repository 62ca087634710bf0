import HearthRules

/// What the rules say to a write.
enum WritePermission {
  /// It may happen. By which rules is told only where records keep that, and not of administrators, for whom no rule is
  /// asked.
  case granted(CommitGrant?)
  /// It may not, and why; nil when it was not for the rules to say.
  case refused(Decision?)

  var isGranted: Bool { if case .granted = self { true } else { false } }
}
