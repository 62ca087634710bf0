import HearthSync
import HearthTree
import HearthWire

/// The connection between ``SyncCore`` and the server.
extension Repository {
  /// Returns a repository that connects at once and stays connected.
  static func connected(
    to address: DatabaseAddress, credentials: any CredentialProvider, settings: RepositorySettings
  ) -> Repository {
    let repository = Repository(name: address.namespace, settings: settings)
    // The repository begins once it knows the signed-in user, and receives every change from then on, so that a write
    // after a sign-in is made as the new user even when the repository handles it late.
    repository.queue.suspend()
    defer { repository.queue.resume() }
    repository.enqueue { worker in
      worker.folder = settings.persistenceDirectory.map { RepositoryFolder($0, address, app: settings.appName) }
      worker.openStore(settings)
      worker.connect(to: address, credentials: credentials, settings: settings)
    }
    repository.listen(to: credentials)
    repository.credential.user = credentials.currentUserID
    return repository
  }

  private func connect(
    to address: DatabaseAddress, credentials: any CredentialProvider, settings: RepositorySettings
  ) {
    var environment = DatabaseConnection.Environment(
      tokens: { [weak self] isForced, answer in
        // On the repository's queue. A change that is reported before the answer overrides the answer.
        let changes = self?.credential.changes
        credentials.credential(forcingRefresh: isForced) { [weak self] result in
          if case .success(let credential) = result {
            self?.enqueue { worker in
              if worker.credential.changes == changes { worker.present(credential) }
            }
          }
          answer(result.map { ConnectionTokens(credential: $0?.token) })
        }
      },
      log: { level, text in DatabaseLog.write(DatabaseLogLevel(level), text) },
      deliver: { [weak self] events in
        guard let self else { return }
        for event in events { handle(event, credentials) }
      })
    environment.trust = settings.trust
    let connection = DatabaseConnection(
      address, settings: settings.connection, queue: queue, environment: environment)
    link = ConnectionLink(connection: connection)
    self.connection = connection
    connection.handle(.open)
    reachability = Reachability { [weak self] in self?.enqueue { $0.connection?.handle(.reachable) } }
  }

  private func listen(to credentials: any CredentialProvider) {
    let listener = credentials.addCredentialListener { [weak self] credential in
      self?.enqueue { worker in
        worker.credential.changes += 1
        // The connection is informed first: the new user's waiting writes are then sent after the credential.
        worker.connection?.handle(.credential(credential?.token))
        worker.present(credential)
      }
    }
    stopsListening = { credentials.removeCredentialListener(listener) }
  }

  /// Switches to the presented credential. Pending writes and stored data belong to one user: another one sees none of
  /// them, and does not send them.
  private func present(_ presented: DatabaseCredential?) {
    credential.presented = presented
    guard presented?.userID != credential.user else { return }
    credential.user = presented?.userID
    perform(core.changeUser(store: folder?.store(of: credential.user)))
  }

  private func openStore(_ settings: RepositorySettings) {
    guard let folder else { return }
    core = SyncCore(
      clock: Self.nowMilliseconds, store: folder.store(of: credential.user),
      storeSizeBytesMax: Int(clamping: settings.cacheSizeBytes), getTimeoutMilliseconds: settings.getTimeoutMilliseconds
    )
    perform(core.restore())
  }

  func goOnline() { enqueue { $0.connection?.handle(.resume(.offline)) } }

  func goOffline() { enqueue { $0.connection?.handle(.interrupt(.offline)) } }

  /// Shuts the repository down: no more callbacks are called, and the store is closed.
  func shutDown(then done: @escaping @Sendable () -> Void = {}) {
    enqueue { worker in
      defer { done() }
      worker.stopsListening?()
      worker.connection?.close()
      (worker.connection, worker.link, worker.stopsListening, worker.reachability) = (nil, nil, nil, nil)
      worker.folder = nil
      worker.core = SyncCore(clock: Self.nowMilliseconds)
    }
  }

  private func handle(_ event: ConnectionEvent, _ credentials: any CredentialProvider) {
    switch event {
    case .hello(let serverTime): perform(core.helloReceived(serverTimeMilliseconds: serverTime))
    case .ready: perform(core.connectionReady())
    case .lost: perform(core.connectionLost())
    case .reply(let id, let status, let data):
      var reply = SyncReply(status: status.rawValue, message: data.text)
      if case .node(let node) = data { reply.node = node }
      perform(core.reply(RequestID(id), reply))
    case .put(let location, let node, let tag):
      perform(core.serverOverwrite(location, node, tag: tag.map { Int($0) }))
    case .merge(let path, let changes, let tag):
      perform(core.serverMerge(path, changes.map { ($0.location, $0.node) }, tag: tag.map { Int($0) }))
    case .ranges(let path, let ranges, let tag):
      perform(core.serverRangeMerge(path, ranges, tag: tag.map { Int($0) }))
    case .cancel(let path, let query):
      perform(core.serverCancel(path, query: query, SyncFailure("permission_denied")))
    case .authenticated(let claims):
      guard let credential = credential.presented else { return }
      credentials.connectionReported(
        .accepted(credential, auth: claims["auth"], expiresSeconds: claims["expires"]?.int))
    case .credentialRefused(let refusal):
      guard let credential = credential.presented else { return }
      credentials.connectionReported(.refused(credential, status: refusal.status.rawValue, reason: refusal.text))
    case .credentialRevoked(let refusal):
      guard let credential = credential.presented else { return }
      credentials.connectionReported(.revoked(credential, status: refusal.status.rawValue, reason: refusal.text))
    case .credentialCleared: credentials.connectionReported(.cleared)
    }
  }
}

/// The credential presented to the server.
struct SentCredential {
  /// The credential in force on the connection, or about to be.
  var presented: DatabaseCredential?
  /// The user that owns the pending writes and the open store; nil when signed out.
  var user: String?
  /// The number of reported changes.
  var changes = 0
}

/// The connection as ``SyncCore``'s requests are sent over it.
private struct ConnectionLink: RepositoryLink {
  let connection: DatabaseConnection

  func send(_ request: SyncRequest) {
    connection.handle(.request(id: request.id.number, Request.Action(request.body)))
  }
}

extension DatabaseLogLevel {
  fileprivate init(_ level: ConnectionLogLevel) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      }
  }
}
