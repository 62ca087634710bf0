import Foundation
import HearthClient

/// A chat for the command line: `chat NAME [URL]`. Each line that is typed goes to everybody in the room.
@main
struct Chat {
  struct Message: Codable, Sendable {
    var name: String
    var text: String
    @ServerTimestamp var sent: Date?
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      print("usage: chat NAME [URL]")
      return
    }
    let url = arguments.count > 2 ? arguments[2] : "http://127.0.0.1:9000/?ns=default"
    let room = Database.database(url: url).reference(withPath: "chat")

    let reader = Task {
      do {
        for try await event in room.queryLimited(toLast: 20).events(of: [.childAdded]) {
          let message = try event.snapshot.data(as: Message.self)
          print("\(message.name): \(message.text)")
        }
      } catch {
        print("the chat is over: \(error.localizedDescription)")
      }
    }
    for await line in lines {
      try await room.childByAutoId().setValue(from: Message(name: arguments[1], text: line, sent: nil))
    }
    reader.cancel()
  }

  /// What is typed, until an empty line. It is waited for on a thread of its own: `readLine` blocks the one it is called on,
  /// and no task would get on that needs it.
  static var lines: AsyncStream<String> {
    AsyncStream { lines in
      Thread.detachNewThread {
        while let line = readLine(), !line.isEmpty { lines.yield(line) }
        lines.finish()
      }
    }
  }
}
