#!/bin/sh
# Mail through the machine's sendmail, or another command that takes a mail on standard input in its way. Needs jq.
set -eu

# A message of the server's: both addresses on a line, then the mail, whose headers nothing in it can end.
as_mail='
  def words: [range(0; length; 12) as $i | .[$i:$i + 12] | "=?utf-8?B?\(@base64)?="] | join("\n ");
  def lines: @base64 | [range(0; length; 76) as $i | .[$i:$i + 76]] | join("\n");
  def part($type): "--\($boundary)\nContent-Type: text/\($type); charset=utf-8\nContent-Transfer-Encoding: base64\n\n\(lines)\n";
  .input
  | if ([.to, .fromAddress] | all(type == "string" and test("\\A[^\\s\\p{Cc}<>()\\[\\]\\\\,;:\"@]+@[^\\s\\p{Cc}<>()\\[\\]\\\\,;:\"@]+\\z")))
    then . else error("an invalid address") end
  | "\(.fromAddress) \(.to)\nFrom: \(.fromName | words) <\(.fromAddress)>\nTo: <\(.to)>\nSubject: \(.subject | words)\n"
    + "Auto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=\"\($boundary)\"\n\n"
    + (.text | part("plain")) + (.html | part("html")) + "--\($boundary)--"
'

field() { printf '%s' "$line" | jq --raw-output "$1" 2>/dev/null; }

answer() {
  mail=$(printf '%s' "$line" | jq --raw-output --arg boundary "part-$$-$id" "$as_mail" 2>/dev/null) || return 65
  addresses=${mail%%"$newline"*}
  # What the command says goes to the plugin's log, and may be no answer.
  printf '%s\n' "${mail#*"$newline"}" | "$sendmail" -i -f "${addresses% *}" -- "${addresses#* }" >&2
}

newline='
'
read -r line
sendmail=$(field .hello.settings.sendmail)
echo '{"hello":{"protocol":1,"name":"shell-mail","version":"1.0.0","hooks":["sendMail"]}}'

while read -r line; do
  case $line in '{"drain"'*) break ;; esac
  id=$(field '.id // empty')
  [ -n "$id" ] || continue
  status=0
  answer || status=$?
  # The codes of sysexits.h for what may go better later.
  case $status in
  0) echo "{\"id\":$id,\"output\":{\"sent\":true}}" ;;
  69 | 71 | 74 | 75) echo "{\"id\":$id,\"error\":{\"message\":\"sendmail ended with code $status\",\"isTemporary\":true}}" ;;
  *) echo "{\"id\":$id,\"error\":{\"message\":\"not sent: code $status\",\"isTemporary\":false}}" ;;
  esac
done
