import HearthCluster

extension Simulation {
  /// Traces an event, for the reader of a failed seed's schedule.
  package func describe(_ event: MemberEvent, on node: Int) {
    let name = nodes[node].id
    switch event {
    case .tick, .stored, .received(.pulse, _), .received(.beat, _): break
    case .received(let message, let peer): note("\(peer) -> \(name): \(message.summary)")
    case .linkUp(let peer): note("\(name) is connected to \(peer)")
    case .linkDown(let peer): note("\(name) is disconnected from \(peer)")
    case .submitted(let session, let ticket, let kind): note("\(session) of \(name): \(ticket) \(kind)")
    case .restored(let head, _): note("\(name) goes on from a snapshot at \(head.position)")
    default: note("\(name): \(event)")
    }
  }
}

extension PeerMessage {
  fileprivate var summary: String {
    switch self {
    case .commits(let row): "row \(row.batch.firstPosition)-\(row.batch.lastPosition) of epoch \(row.epoch)"
    case .request(let epoch, let request):
      "epoch \(epoch) \(request.origin.session) request \(request.origin.request) \(request.kind)"
    case .answer(let epoch, let session, let request, let outcome):
      "epoch \(epoch) \(session) request \(request): \(outcome)"
    default: "\(self)"
    }
  }
}

extension StoreCall {
  package var summary: String { String(describing: self) }
}

extension StoreAnswer {
  package var summary: String {
    if case .rows(let reading) = self { return "\(reading.rows.count) rows to \(reading.end.position)" }
    return String(describing: self)
  }
}
