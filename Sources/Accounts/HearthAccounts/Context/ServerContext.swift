import HearthPlugin

/// The values that the accounts of all projects and tenants of a server share.
package struct ServerContext: Sendable {
  /// The operator's configuration, without later changes; on an emulator with the id of the project.
  var configuration: AccountsConfiguration
  let plugins: ActivePlugins
  let environment: AccountsEnvironment
  /// Announces a revocation, with its reason.
  let announce: RevocationHandler
  /// The queue of mails.
  let mails: SendQueue<MailMessage>
  /// The queue of text messages.
  package let texts: SendQueue<SMSMessage>
  /// Sends audit records to the audit-sink plugins.
  let auditFeed: AuditFeed

  init(
    configuration: AccountsConfiguration, plugins: ActivePlugins, environment: AccountsEnvironment,
    announce: @escaping RevocationHandler
  ) {
    self.configuration = configuration
    self.plugins = plugins
    self.environment = environment
    self.announce = announce
    mails = SendQueue(plugins, notice: environment.notice)
    texts = SendQueue(plugins, notice: environment.notice)
    auditFeed = AuditFeed(plugins, environment)
  }
}
