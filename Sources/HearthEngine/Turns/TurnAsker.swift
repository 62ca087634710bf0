/// Who asks again after a comparison failed.
enum TurnAsker: Hashable, Sendable {
  case connection(ConnectionID)

  /// A request over HTTP may come over any connection: whoever asks again is known by name, and those of one name share
  /// their turns.
  case requests(uid: String?, isAdministrator: Bool)

  init(_ command: Command, as principal: Principal) {
    self =
      command.principal == nil
      ? .connection(command.connection)
      : .requests(uid: principal.uid, isAdministrator: principal.isAdministrator)
  }

  var connection: ConnectionID? { if case .connection(let id) = self { id } else { nil } }
}
