extension AuditFeed {
  /// Creates a feed to the sinks that are switched on.
  convenience init(_ plugins: ActivePlugins, _ environment: AccountsEnvironment) {
    self.init(
      sinks: { plugins.auditSinks },
      pause: { milliseconds in
        await withCheckedContinuation { waiting in environment.schedule(milliseconds) { waiting.resume() } }
      },
      nowMilliseconds: { environment.clock().monotonicMilliseconds }, notice: environment.notice)
  }
}
