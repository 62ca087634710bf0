import HearthEngine
import HearthTree

/// `GET <path>.json?format=checksum`: a checksum of the value at a path, of any size, for administrators.
///
/// The answer is `{"checksum": "9f86d081884c7d65", "values": 29, "position": 7}`: the ``DataChecksum`` with paths
/// relative to the requested one, the number of values and priorities, and the position of the state.
struct ChecksumRead {
  let call: RESTCall
  let location: Location
  let source: ReadSource

  func answer() {
    let (state, location, isPretty) = (source.state, location, call.request.isPretty)
    call.answerOnPool(.long) {
      var checksum = DataChecksum()
      checksum.add(location.value(in: state.root), at: Location(path: .root, isPriority: location.isPriority))
      var writer = RESTObjectWriter(pretty: isPretty)
      writer.member("checksum") { $0.bytes += JSON.string(checksum.description).text() }
      writer.member("values") { $0.write(Int64(checksum.count)) }
      writer.member("position") { $0.write(state.position) }
      return RESTResponse(body: writer.finish())
    }
  }
}
