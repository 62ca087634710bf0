/// The start of a scenario: two members of a room, each with a listen to it.
enum RoomScenario {
  /// The rules and the data.
  static let data = """
    rules {"rules":{"rooms":{"$room":{".read":"root.child('members/'+$room+'/'+auth.uid).exists()"}},".write":true}}
    data {"members": {"r": {"alice": true, "bob": true}}, "rooms": {"r": {"m": "hi"}}}

    """

  /// The connections of both members, and their listens.
  static let listens = """
    1 connect
      1 ok
    2 connect
      2 ok
    1 auth {"uid":"alice"}
      1 ok
    2 auth {"uid":"bob"}
      2 ok
    1 listen /rooms/r
      1 < put /rooms/r {"m":"hi"}
      1 ok
    2 listen /rooms/r
      2 < put /rooms/r {"m":"hi"}
      2 ok

    """
}
