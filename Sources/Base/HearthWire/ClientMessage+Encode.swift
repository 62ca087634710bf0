import HearthTree

// The texts (spaces for reading only):
//
// {"t":"d", "d":{"r":7, "a":"q", "b":{"p":"/users", "h":"", "q":{"l":2,"vf":"r"}, "t":1}}}   a listen with a query
// {"t":"d", "d":{"r":8, "a":"p", "b":{"p":"/a", "d":{".sv":"timestamp"}}}}                   a put
//
// Paths have a slash at their start, as the clients of JavaScript and iOS write them. The path comes before the data,
// so that a server can read the data in place.

extension ClientMessage {
  /// Returns the message's JSON text, which ``decode(_:)-([UInt8])`` reads back.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter()
    switch self {
    case .ping: writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":\"p\",\"d\":{}}}")
    case .endOfTransmission: writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":\"n\",\"d\":{}}}")
    case .otherControl(let type):
      writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":")
      writer.write(type)
      writer.write(raw: ",\"d\":{}}}")
    case .request(let request):
      writer.write(raw: "{\"t\":\"d\",\"d\":{\"r\":")
      writer.write(Int64(request.number))
      writer.write(raw: ",\"a\":")
      request.action.write(to: &writer)
      writer.write(raw: "}}")
    }
    return writer.bytes
  }
}

extension Request.Action {
  /// Writes the action's name and its body.
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .stats(let counters):
      writer.write(raw: "\"s\",\"b\":{\"c\":")
      writer.write(counters)
    case .listen(let listen): listen.write(to: &writer)
    case .unlisten(let unlisten):
      writer.write(raw: "\"n\",\"b\":{\"p\":")
      writer.write(location: Location(path: unlisten.path))
      writer.write(query: unlisten.query, tag: unlisten.tag)
    case .get(let get):
      writer.write(raw: "\"g\",\"b\":{\"p\":")
      writer.write(location: get.location)
      writer.write(raw: ",\"q\":")
      writer.write(get.query ?? [:])
    case .put(let put):
      writer.write(raw: "\"p\",\"b\":{\"p\":")
      writer.write(put.write)
      writer.write(hash: put.hash)
    case .merge(let merge):
      writer.write(raw: "\"m\",\"b\":{\"p\":")
      writer.write(merge)
    case .onDisconnectPut(let write):
      writer.write(raw: "\"o\",\"b\":{\"p\":")
      writer.write(write)
    case .onDisconnectMerge(let merge):
      writer.write(raw: "\"om\",\"b\":{\"p\":")
      writer.write(merge)
    case .onDisconnectCancel(let location):
      writer.write(raw: "\"oc\",\"b\":{\"p\":")
      writer.write(location: location)
      writer.write(raw: ",\"d\":null")
    case .authenticate(let credential): credential.write(to: &writer)
    case .unauthenticate: writer.write(raw: "\"unauth\",\"b\":{")
    case .appCheck(let token):
      writer.write(raw: "\"appcheck\",\"b\":{\"token\":")
      writer.write(token)
    case .dropAppCheck: writer.write(raw: "\"unappcheck\",\"b\":{")
    case .unknown(let name):
      writer.write(name)
      writer.write(raw: ",\"b\":{")
    case .refused: writer.write(raw: "\"\",\"b\":{")
    }
    writer.write(raw: "}")
  }
}

extension Request.Listen {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.write(raw: "\"q\",\"b\":{\"p\":")
    writer.write(location: Location(path: path))
    writer.write(raw: ",\"h\":")
    writer.write(hash)
    writer.write(query: query, tag: tag)
    guard let compound else { return }
    writer.write(raw: ",\"ch\":{\"hs\":[")
    for (i, hash) in compound.hashes.enumerated() {
      if i > 0 { writer.write(raw: ",") }
      writer.write(hash)
    }
    writer.write(raw: "],\"ps\":[")
    for (i, post) in compound.posts.enumerated() {
      if i > 0 { writer.write(raw: ",") }
      writer.write(post.isRoot ? "/" : post.keys.map(\.text).joined(separator: "/"))
    }
    writer.write(raw: "]}")
  }
}

extension Request.Credential {
  /// Writes the credential. `gauth` is for texts that are not a JSON Web Token: secrets, Google access tokens, and the
  /// `owner` of emulators.
  fileprivate func write(to writer: inout JSONWriter) {
    let isToken = token.utf8.count { $0 == UInt8(ascii: ".") } == 2
    if isToken {
      writer.write(raw: "\"auth\",\"b\":{\"cred\":")
    } else {
      writer.write(raw: "\"gauth\",\"b\":{\"cred\":")
    }
    writer.write(token)
    switch override {
    case .auth(let value)?:
      writer.write(raw: ",\"authvar\":")
      writer.write(value)
    case .signedOut?: writer.write(raw: ",\"noauth\":true")
    case nil: break
    }
  }
}

extension JSONWriter {
  fileprivate mutating func write(location: Location) { write(location.description) }

  fileprivate mutating func write(query: JSON?, tag: Int32?) {
    if let query {
      write(raw: ",\"q\":")
      write(query)
    }
    if let tag {
      write(raw: ",\"t\":")
      write(Int64(tag))
    }
  }

  fileprivate mutating func write(hash: String?) {
    guard let hash else { return }
    write(raw: ",\"h\":")
    write(hash)
  }

  /// Writes a replacement: the location and the data.
  fileprivate mutating func write(_ write: Write) {
    self.write(location: write.location)
    self.write(raw: ",\"d\":")
    self.write(write.value, at: write.location)
  }

  /// Writes the path of the merge, and each write with its path relative to that.
  fileprivate mutating func write(_ merge: Request.Merge) {
    write(location: Location(path: merge.path))
    write(raw: ",\"d\":{")
    for (i, item) in merge.writes.enumerated() {
      if i > 0 { write(raw: ",") }
      let path = merge.path.relative(item.location.path) ?? item.location.path
      write(String(Location(path: path, isPriority: item.location.isPriority).description.dropFirst()))
      write(raw: ":")
      write(item.value, at: item.location)
    }
    write(raw: "}")
    write(hash: merge.hash)
  }
}
