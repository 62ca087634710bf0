extension GatewayServices {
  /// Sessions over sockets and long polls.
  package var sessionCount: Int { sessions.count }
  /// True when requests should be sent to this server.
  package var isReady: Bool { ServerHealth(self).isReady }
  /// Receipts that wait for clients to have been told.
  package var openReceiptCount: Int { router.receipts.openCount }
}
