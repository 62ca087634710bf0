// Types with secrets show none of them when they are printed or dumped, alone or inside another value.

extension MailServer: CustomStringConvertible, CustomReflectable {
  public var description: String { "<MailServer \(host):\(port)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OutboundRequest: CustomStringConvertible, CustomReflectable {
  public var description: String { "<OutboundRequest \(method.rawValue)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OutboundResponse: CustomStringConvertible, CustomReflectable {
  public var description: String { "<OutboundResponse \(status)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OutboundHeader: CustomStringConvertible, CustomReflectable {
  public var description: String { "<OutboundHeader \(name)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
