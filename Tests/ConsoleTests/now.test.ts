import assert from "node:assert/strict";
import test from "node:test";
import { agentName } from "../../Sources/Server/HearthConsole/Page/now/agent";
import { DoctorReport, doctorFindings, checkSummary, backupProgress } from "../../Sources/Server/HearthConsole/Page/now/checks";
import { isTriggerHealthy, triggerStatusText } from "../../Sources/Server/HearthConsole/Page/now/triggers";
import { shortNumber } from "../../Sources/Server/HearthConsole/Page/format/number";
import { linePoints, scale, Series } from "../../Sources/Server/HearthConsole/Page/now/series";

function series(samples: (number | null)[][]): Series {
  const made = new Series();
  made.append({ intervalMilliseconds: 2000, figures: ["writes", "p99"], samples });
  return made;
}

test("samples are added once, and an hour of them is kept", () => {
  const made = series([[2000, 1, 5], [4000, 2, null]]);
  made.append({ intervalMilliseconds: 2000, figures: ["writes", "p99"], samples: [[4000, 9, 9], [6000, 3, 1]] });
  assert.equal(made.newest, 6000);
  assert.equal(made.last("writes"), 3);
  assert.equal(made.sum("writes", 0), 12);
  made.append({ intervalMilliseconds: 2000, figures: ["writes", "p99"], samples: [[4_000_000, 1, 1]] });
  assert.equal(made.sum("writes", 0), 2);
  assert.equal(made.last("nothing"), null);
});

test("a line is broken where samples are missing", () => {
  const made = series([[2000, 1, 1], [4000, 2, null], [6000, 3, 3], [20_000, 4, 4]]);
  assert.deepEqual(made.runs("writes", 0).map(run => run.length), [3, 1]);
  assert.deepEqual(made.runs("p99", 0).map(run => run.length), [2, 1]);
  assert.equal(made.at("writes", 5100), 3);
  assert.equal(made.at("writes", 13_000), null);
  assert.deepEqual(series([]).runs("writes", 0), []);
});

test("an axis ends at a round number", () => {
  assert.deepEqual(scale(0), { top: 1, ticks: [0.5, 1] });
  assert.equal(scale(2014).top, 4000);
  assert.equal(scale(0.03).top, 0.04);
  assert.equal(scale(5).top, 5);
  assert.equal(linePoints([{ at: 0, value: 0 }, { at: 10, value: 20 }], 0, 10, 10, 100, 50), "0.0,50.0 100.0,0.0");
});

test("figures are short", () => {
  assert.deepEqual([0, 0.03, 0.42, 3, 12.6, 2014, 46_310, 123_456].map(shortNumber), ["0", "0", "0.42", "3", "13", "2,014", "46.3k", "123k"]);
});

test("clients are named in a few words", () => {
  assert.equal(agentName("Firebase/5/21.0.0/34/Android"), "Android SDK 21.0.0");
  assert.equal(agentName("Firebase/5/11.2.0/com.example.app/iOS_17.0/iPhone"), "Apple SDK 11.2.0");
  assert.equal(agentName("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"), "Chrome 126");
  assert.equal(agentName("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"), "Firefox 128");
  assert.equal(agentName("Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15"), "Safari 17");
  assert.equal(agentName("curl/8"), "curl/8");
});

test("the status of a trigger names its problem", () => {
  assert.equal(triggerStatusText({ name: "a" }), "well");
  assert.equal(triggerStatusText({ name: "a", status: { waiting: 1200, dead: 2, isUnreachable: true } }), "unreachable, 1,200 waiting, 2 given up");
  assert.equal(isTriggerHealthy({ name: "a", pause: "maintenance" }), false);
  assert.equal(isTriggerHealthy({ name: "a", pause: null, status: { waiting: 3 } }), true);
});

test("small numbers keep their significant digits", () => {
  assert.deepEqual([0.25, 0.5, 0.04, 0.123, 1.25].map(shortNumber), ["0.25", "0.5", "0", "0.12", "1.3"]);
});

test("findings of the checks are listed, except those that the state reports", () => {
  const doctor: DoctorReport = { isRunning: false, at: 1, problem: null, findings: [
    { code: "backup-none", severity: "warning", text: "no backup of this folder has been made", advice: "hearth backup create FOLDER" },
    { code: "disk-full", severity: "error", text: "the disk is full" }, { code: "clock", severity: "ok", text: "the clock is kept" },
    { code: "disk-virtual", severity: "notice", text: "a virtual disk" }] };
  assert.deepEqual(doctorFindings(doctor).map(each => [each.code, each.level, each.text]), [["backup-none", "warning", "hearth backup create FOLDER"]]);
  assert.equal(checkSummary(doctor), "1 is well, 1 note");
  assert.deepEqual(doctorFindings(null), []);
  assert.equal(backupProgress({ since: 1, done: 1, count: 3, name: "databases/a" }), "1 of 3 copied, now databases/a");
});

test("a day of figures is kept beside the hour", () => {
  const day = new Series(86_400_000);
  day.append({ intervalMilliseconds: 60_000, figures: ["writes"], samples: [[1, 1], [80_000_000, 2], [86_400_000, 3], [86_400_002, 4]] });
  assert.equal(day.runs("writes", 0).flat().length, 3);
});
