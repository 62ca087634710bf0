import Glibc
import HearthTree

// Measures memory and speed of the tree with chat records: `rooms/<room>/messages/<push id>/{text,uid,ts}`.
//
//     TreeBench [leaves] [rooms]
//     TreeBench queries [children]

if CommandLine.arguments.dropFirst().first == "queries" {
  QueryBench(count: CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1_000_000).run()
  exit(0)
}

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let leafCount = arguments.first ?? 1_000_000
let roomCount = arguments.dropFirst().first ?? 100

let records = ChatRecords(count: leafCount / 3, rooms: roomCount)
print("\(records.count * 3) leaves, \(roomCount) rooms")

let sizes = Memory.now
var root = measure("build, one record at a time", count: records.count) {
  var root = Node.empty
  for i in 0..<records.count { root = root.replacing(records.path(i), with: records.record(i)) }
  return root
}
Memory.now.report(since: sizes, leaves: records.count * 3)

let sizesBeforeShuffle = Memory.now
var shuffled: Node? = measure("build, in random order", count: records.count) {
  var root = Node.empty
  for i in records.shuffledIndexes { root = root.replacing(records.path(i), with: records.record(i)) }
  return root
}
Memory.now.report(since: sizesBeforeShuffle, leaves: records.count * 3)
precondition(shuffled == root)
shuffled = nil

let sizesBeforeBuilder = Memory.now
let built = measure("build, all in order by NodeBuilder", count: records.count) { records.build() }
Memory.now.report(since: sizesBeforeBuilder, leaves: records.count * 3)
measure("compare both, one by one", count: records.count * 3) { precondition(root == built) }

let sample = records.sample(count: 200_000)
let rounds = 10
let paths = sample.prefix(20_000)  // Few enough that the keys themselves stay in the processor's caches.
measure("lookup, four levels", count: paths.count * rounds) {
  for _ in 0..<rounds { for path in paths { precondition(root[path].isInterior) } }
}
measure("lookup, five levels, and the text", count: paths.count * rounds) {
  for _ in 0..<rounds {
    for path in paths { precondition(root[path].child("text").withStringUTF8 { $0.count } ?? 0 > 0) }
  }
}

let updates = sample.prefix(100_000).map { $0.appending("text") }
let values = (0..<16).map { Node(.string("changed to another text, number \($0)")) }
measure("update of one text, the version before held", count: updates.count) {
  for (i, path) in updates.enumerated() {
    let snapshot = root
    root = root.replacing(path, with: values[i & 15])
    precondition(!root.isIdentical(to: snapshot))
  }
}
measure("delete and insert a record", count: 2 * 50_000) {
  for path in sample.prefix(50_000) {
    let record = root[path]
    root = root.replacing(path, with: .empty)
    root = root.replacing(path, with: record)
  }
}
var versions: [Node] = []
let sizesBeforeVersions = Memory.now
measure("update of one text, all versions kept", count: 10_000) {
  for (i, path) in updates.prefix(10_000).enumerated() {
    versions.append(root)
    root = root.replacing(path, with: values[i & 15])
  }
}
Memory.now.report(since: sizesBeforeVersions, leaves: 10_000, unit: "version")
versions = []

let scanned = measure("scan of all leaves in order", count: records.count * 3) { count(root) }
precondition(scanned == records.count * 3)

func count(_ node: Node) -> Int {
  if node.isLeaf { return 1 }
  var sum = 0
  node.forEachChild { _, child in sum += count(child) }
  return sum
}
