import HearthGateway

/// Counts what is stored in the databases where that is limited: once a second where something was written.
final class StorageCare: Sendable {
  private let task: Task<Void, Never>

  init(_ services: GatewayServices) {
    task = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(QuotaDesk.storageLookSeconds))
        guard services.quotas.limitsStorage else { continue }
        await ServerParts.onBlockingThread { services.reviewStorage() }
      }
    }
  }

  func stop() { task.cancel() }
}
