extension GatewayServices {
  /// The number of sessions over sockets and long polls.
  package var sessionCount: Int { sessions.count }
  /// True when requests should be sent to this server.
  package var isReady: Bool { ServerHealth(self).isReady }
  /// The number of receipts that wait for clients' notifications.
  package var openReceiptCount: Int { router.receipts.openCount }
}
