#!/usr/bin/env python3
"""Runs PostgreSQL's specifications of isolation against a node, and compares what each step answers, and which steps wait.

    tests/postgres/isolation_specs.py build/release/pelorus FOLDER [NAME…]

FOLDER, or PELORUS_PG_ISOLATION, is src/test/isolation of PostgreSQL's source; NAME chooses specifications. What is known of
each stands in isolation_specs.txt: it passes, fails, or lacks something that the node does not support; whoever is unlike the
list is told, and the program fails. Of an error the SQLSTATE is compared, of a deadlock that one session of its permutation
ends; notices are not compared."""
import os
import re
import socket
import sys
import threading
import time
from itertools import chain
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "clients"), str(Path(__file__).resolve().parent.parent / "support")]

PASS_LIST = Path(__file__).resolve().with_suffix(".txt")
WAIT_SECONDS = 8

# The states of errors whose texts the expected answers show.
STATES = (
    ("could not serialize access", "40001"),
    ("deadlock detected", "40P01"),
    ("duplicate key value", "23505"),
    ("could not obtain lock", "55P03"),
    ("canceling statement due to lock timeout", "55P03"),
    ("canceling statement due to statement timeout", "57014"),
    ("canceling statement due to user request", "57014"),
    ("current transaction is aborted", "25P02"),
    ("violates foreign key constraint", "23503"),
    ("violates not-null constraint", "23502"),
    ("violates check constraint", "23514"),
    ("ON CONFLICT DO UPDATE command cannot affect row a second time", "21000"),
    ("reached maximum value of sequence", "2200H"),
    ("division by zero", "22012"),
    ("terminating connection due to idle-in-transaction timeout", "25P03"),
)
# States that say that a node lacks something, rather than that rows are in another's hands.
LACKS = ("0A000", "42601", "42883", "42704", "42P01", "42703", "25001", "42809", "42804", "22023", "3F000", "42P13", "42846", "22P02", "42501")


class Lacks(Exception):
    """The node does not support what the permutation needs."""


class Spec:
    """A parsed specification: what is executed before and after each permutation, sessions, and permutations."""

    def __init__(self, text):
        self.setups, self.teardowns, self.sessions, self.permutations = [], [], [], []
        self.steps = {}  # by name: session's place, statements
        tokens = re.findall(r"\{([^}]*)\}|#[^\n]*|\"([^\"]*)\"|([A-Za-z_0-9\x80-\xff-]+)|([(),*])", text)
        self.tokens = [t for t in ((block, quoted or word or mark, bool(quoted), not (quoted or word or mark)) for block, quoted, word, mark in tokens)]
        # A comment matches without groups, and so does an empty block: the text tells them apart.
        kinds = [match.group()[0] for match in re.finditer(r"\{[^}]*\}|#[^\n]*|\"[^\"]*\"|[A-Za-z_0-9\x80-\xff-]+|[(),*]", text)]
        self.tokens = [token for token, kind in zip(self.tokens, kinds) if kind != "#"]
        self.at = 0
        while self.at < len(self.tokens):
            self.parse_part()
        if not self.permutations:
            self.permutations = [[(name, []) for name in order] for order in interleavings([names for _, _, _, names in self.sessions])]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def is_word(self, *words):
        return self.at < len(self.tokens) and not self.tokens[self.at][2] and self.tokens[self.at][1] in words

    def block(self):
        return self.next()[0].strip()

    def parse_part(self):
        word = self.next()[1]
        if word == "setup":
            self.setups.append(self.block())
        elif word == "teardown":
            self.teardowns.append(self.block())
        elif word == "session":
            self.parse_session()
        elif word == "permutation":
            self.parse_permutation()
        else:
            raise ValueError(f"not a part of a specification: {word}")

    def parse_session(self):
        name, setups, teardowns, names = self.next()[1], [], [], []
        while self.is_word("setup", "teardown", "step"):
            word = self.next()[1]
            if word == "step":
                step = self.next()[1]
                names.append(step)
                self.steps[step] = (len(self.sessions), self.block())
            else:
                (setups if word == "setup" else teardowns).append(self.block())
        self.sessions.append((name, setups, teardowns, names))

    def parse_permutation(self):
        steps = []
        while self.at < len(self.tokens) and not self.is_word("permutation", "session", "setup", "teardown"):
            name, blockers = self.next()[1], []
            if self.is_word("("):
                self.next()
                while not self.is_word(")"):
                    blocker = [self.next()[1]]
                    while not self.is_word(",", ")"):
                        blocker.append(self.next()[1])
                    blockers.append(blocker)
                    if self.is_word(","):
                        self.next()
                self.next()
            steps.append((name, blockers))
        self.permutations.append(steps)


def interleavings(piles):
    """All orders of the piles' elements that keep the order within each."""
    if not any(piles):
        yield []
        return
    for i, pile in enumerate(piles):
        if pile:
            for rest in interleavings(piles[:i] + [pile[1:]] + piles[i + 1:]):
                yield [pile[0]] + rest


def statements_of(text):
    """Splits at semicolons outside of texts, of quoted bodies and of comments."""
    pieces = re.split(r"((?s:\$(\w*)\$.*?\$\2\$)|'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|;)", text)
    statement, statements, skip = "", [], False
    for place, piece in enumerate(pieces):
        if place % 3 == 2:
            continue  # the tag of a quoted body
        if piece == ";":
            statements.append(statement)
            statement = ""
        else:
            statement += piece or ""
    statements = [each for each in (s.strip() for s in [*statements, statement]) if re.sub(r"--[^\n]*", "", each).strip()]
    # What is only locked as a whole may have a column where the node has no tables without one.
    return [re.sub(r"(?i)^(create table \w+) *\(\)$", r"\1 (unused int)", each) for each in statements]


class Answer:
    """What a step answered, as it is compared: lines of cells, and states of errors."""

    def __init__(self, lines=()):
        self.lines = []
        for line in lines:
            if not line.strip() or re.fullmatch(r"[-+]+", line.strip()) or re.match(r"\S+: (NOTICE|WARNING|INFO): ", line):
                continue
            if line.startswith(("ERROR:  ", "FATAL:  ")):
                text = line[8:]
                self.lines.append("ERROR " + next((state for part, state in STATES if part in text), text))
            else:
                self.lines.append("|".join(cell.strip() for cell in line.split("|")))

    def is_deadlock(self):
        return "ERROR 40P01" in self.lines


def expected_of(text, spec):
    """The permutations of an expected output: its name, what setups answered, and the events in their order."""
    permutations = []
    for piece in text.split("\nstarting permutation:")[1:]:
        heading, _, rest = piece.partition("\n")
        events = [["", "setup", []]]
        while rest:
            match = re.match(r"step ([^\s:]+|\"[^\"]*\"): ", rest)
            if not match:
                line, _, rest = rest.partition("\n")
                events[-1][2].append(line)
                continue
            name, rest = match[1].strip('"'), rest[match.end():]
            if rest.startswith("<... completed>"):
                events.append([name, "completed", []])
                rest = rest.partition("\n")[2]
                continue
            text_of_step = spec.steps[name][1]
            rest = rest.lstrip() if text_of_step else rest
            assert rest.startswith(text_of_step), f"the expected output shows another step {name}"
            end = re.match(r"\s*<waiting \.\.\.>\n|[ \t]*(\n|$)", rest[len(text_of_step):])
            assert end, f"the expected output shows another step {name}"
            rest = rest[len(text_of_step) + end.end():]
            events.append([name, "waits" if "<waiting" in end[0] else "done", []])
        permutations.append((heading.split(), [(name, kind, Answer(lines)) for name, kind, lines in events]))
    return permutations


class Session:
    """A connection whose statements run in a thread of its own."""

    def __init__(self, node):
        from postgres_protocol_test import Client, query
        self.query = query
        self.client = Client(node, options="-c default_table_access_method=rows")
        self.process = self.client.rows("select pg_backend_pid()")[0][0]
        self.step = None  # the running step
        self.done = threading.Event()
        self.done.set()
        self.lines, self.error = [], None

    def begin(self, text):
        self.done.clear()
        self.thread = threading.Thread(target=self.run, args=(text,), daemon=True)
        self.thread.start()

    def run(self, text):
        from postgres_protocol_test import ServerError
        error = None
        try:
            messages = self.client.ask(self.query(text))
        except ServerError as failure:
            messages, error = getattr(failure, "messages", []), failure
        except (AssertionError, OSError):
            messages, error = [], "lost"
        self.lines = lines_of(messages, error)
        self.error = error
        self.done.set()

    def ask(self, text):
        self.begin(text)
        assert self.done.wait(WAIT_SECONDS), text
        return self.lines


def lines_of(messages, error):
    from postgres_protocol_test import row_of
    lines, rows = [], None
    for letter, body in messages:
        if letter == b"T":
            names, at = [], 2
            while at < len(body):
                end = body.index(b"\0", at)
                names.append(body[at:end].decode())
                at = end + 19
            begin = len(lines)
            lines.append("|".join(names))
            rows = 0
        elif letter == b"D":
            lines.append("|".join((cell or "").strip() for cell in row_of(body)))
            rows += 1
        elif letter == b"C" and rows is not None:
            lines.append(f"({rows} row{'' if rows == 1 else 's'})")
            rows = None
    if rows is not None:
        del lines[begin:]  # clients do not show the rows of a statement that failed
    if error is not None:
        lines.append("ERROR " + (error if isinstance(error, str) else error.state))
    return lines


def answer_of(lines):
    answer = Answer()
    answer.lines = [line if line.startswith("ERROR ") else "|".join(cell.strip() for part in line.split("\n") for cell in part.split("|")) for line in lines
                    if line.strip()]
    return answer


class Run:
    """One permutation of a specification on a node."""

    def __init__(self, node, spec, steps):
        self.spec, self.steps, self.events, self.waiting = spec, steps, [], []
        self.control = Session(node)
        self.sessions = [Session(node) for _ in spec.sessions]
        self.lacks = []

    def run(self):
        try:
            self.set_up()
            for step in self.steps:
                self.launch(step)
            deadline = time.monotonic() + WAIT_SECONDS
            while self.waiting:
                self.report_completed()
                self.give_up_after(deadline)
        finally:
            self.tear_down()
        return self.events

    def give_up_after(self, deadline):
        if time.monotonic() < deadline:
            return
        raise TimeoutError(f"{', '.join(name for name, _ in self.waiting)} did not end")

    def set_up(self):
        lines = self.ask_all(self.control, self.spec.setups)
        for session, (_, setups, _, _) in zip(self.sessions, self.spec.sessions):
            lines += self.ask_all(session, setups)
        self.events.append(("", "setup", answer_of(lines)))

    def ask_all(self, session, texts):
        """Executes the statements one by one, so that one the node lacks leaves the others; returns the rows of each text's last."""
        lines = []
        for text in texts:
            last = []
            for statement in statements_of(text):
                last = session.ask(statement)
                if session.error is not None:
                    error = session.error if isinstance(session.error, str) else session.error.fields["M"]
                    self.lacks.append(f"{error} ({' '.join(statement.split())[:60]})")
                    last = []
            lines += last
        return lines

    def tear_down(self):
        for session in self.sessions:
            if not session.done.is_set():
                session.client.stream.shutdown(socket.SHUT_RDWR)
                assert session.done.wait(WAIT_SECONDS), "a session that was cut did not end"
        lacked, lines = list(self.lacks), []  # what fails here does not count
        for session, (_, _, teardowns, _) in zip(self.sessions, self.spec.sessions):
            lines += self.ask_all(session, teardowns) if session.error != "lost" else []
        for session in self.sessions:
            try:
                session.client.close()
            except OSError:
                pass  # the server has closed it
        lines += self.ask_all(self.control, self.spec.teardowns)
        self.control.client.close()
        self.lacks = lacked
        # An output shows them behind the last step.
        if self.events:
            self.events[-1][2].lines += answer_of(lines).lines

    def launch(self, step):
        name, blockers = step
        place, text = self.spec.steps[name]
        session = self.sessions[place]
        deadline = time.monotonic() + WAIT_SECONDS
        while session.step is not None:
            self.report_completed()
            self.give_up_after(deadline)
        session.step = step
        session.begin(text)
        waits = ["*"] in blockers or not self.ends_or_waits(session) or self.is_held(step)
        if waits:
            self.events.append((name, "waits", Answer()))
        else:
            self.report(step, "done")
        self.report_completed()
        if waits:
            self.waiting.append(step)

    def ends_or_waits(self, session):
        """Waits until the session's step ends, which is True, or waits for a lock."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not session.done.wait(0.01):
            rows = self.control.ask(f"select wait_event_type from pg_stat_activity where pid = {session.process}")
            if "Lock" in rows and not session.done.wait(0.005):
                return False
            assert time.monotonic() < deadline, "a step neither ends nor waits for a lock"
        return True

    def is_held(self, step):
        """Whether the step may not be told to have ended, because it names another one that runs."""
        for blocker in step[1]:
            if blocker == ["*"] or len(blocker) > 1:
                continue
            other = self.sessions[self.spec.steps[blocker[0]][0]].step
            if other is not None and other[0] == blocker[0]:
                return True
        return False

    def report_completed(self):
        """Tells of the waiting steps that have ended, or no longer wait, in their order."""
        is_changed = True
        while is_changed:
            is_changed = False
            for step in list(self.waiting):
                session = self.sessions[self.spec.steps[step[0]][0]]
                if not self.ends_or_waits(session) or self.is_held(step):
                    continue
                self.waiting.remove(step)
                self.report(step, "completed")
                is_changed = any(blockers for _, blockers in self.waiting)

    def report(self, step, kind):
        session = self.sessions[self.spec.steps[step[0]][0]]
        session.step = None
        error = session.error
        if error is not None and not isinstance(error, str) and error.state in LACKS:
            self.lacks.append(f"{error.fields['M']} ({' '.join(self.spec.steps[step[0]][1].split())[:60]})")
        self.events.append((step[0], kind, answer_of(session.lines)))


def differences(expected, actual):
    """What differs between the events of a permutation, in words; "" when nothing does."""
    if any(answer.is_deadlock() for _, _, answer in expected):
        # Whose session ends a deadlock, and when, is not promised.
        return "" if sum(answer.is_deadlock() for _, _, answer in actual) == sum(answer.is_deadlock() for _, _, answer in expected) else "no deadlock was told"
    # In an expected output an answer of two statements stands in one piece, and so does a text with a line break.
    for place, (want, have) in enumerate(zip(expected, actual)):
        if want[:2] != have[:2]:
            return f"event {place}: {want[0]} {want[1]} was expected, but {have[0]} {have[1]} came"
        if want[2].lines != have[2].lines:
            return f"step {want[0]}: {want[2].lines} was expected, but it answered {have[2].lines}"
    return "" if len(expected) == len(actual) else "the number of events differs"


class Result:
    def __init__(self):
        self.passed, self.failed, self.lacking = 0, [], []

    def state(self):
        if self.failed:
            return "fails"
        return "lacks" if self.lacking else "passes"


def run_spec(node, spec, outputs):
    """Runs all permutations of a specification. `outputs` are the texts that are expected, of which each permutation may take any."""
    expected = [expected_of("\n" + text, spec) for text in outputs]
    result = Result()
    for place, steps in enumerate(spec.permutations):
        title = " ".join(name for name, _ in steps)
        run = Run(node, spec, steps)
        try:
            events, failure = run.run(), None
        except (TimeoutError, AssertionError) as error:
            events, failure = run.events, str(error)
        found = failure or min((differences(each[place][1], events) if place < len(each) else "no such permutation" for each in expected), key=len)
        if not found:
            result.passed += 1
        elif run.lacks:
            result.lacking.append((title, run.lacks[0]))
        else:
            result.failed.append((title, found))
    return result


def read_pass_list():
    known = {}
    for line in PASS_LIST.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, state, *reason = line.split(None, 2)
            known[name] = (state, reason[0] if reason else "")
    return known


def main():
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else os.environ["PELORUS_PG_ISOLATION"])
    wanted = sys.argv[3:]
    verbose = bool(wanted)
    from postgres_protocol_test import Server
    known = read_pass_list() if PASS_LIST.exists() else {}
    passed = applicable = permutations = ran = surprises = 0
    for path in sorted((folder / "specs").glob("*.spec")):
        if wanted and path.stem not in wanted:
            continue
        state, reason = known.get(path.stem, ("", ""))
        if state == "skipped" and not wanted:
            continue
        spec = Spec(path.read_text())
        outputs = [each.read_text() for each in sorted(folder.glob(f"expected/{path.stem}*.out")) if re.fullmatch(re.escape(path.stem) + r"(_\d)?", each.stem)]
        server = Server()
        began = time.monotonic()
        try:
            result = run_spec(server, spec, outputs)
        finally:
            server.process.kill()
            server.process.wait()
            server.folder.cleanup()
        count = result.passed + len(result.failed)
        permutations, ran, applicable = permutations + result.passed, ran + count, applicable + (result.state() != "lacks")
        passed += result.state() == "passes"
        print(f"{path.stem}: {result.state()}, {result.passed} of {len(spec.permutations)} permutations passed, {len(result.failed)} failed, "
              f"{len(result.lacking)} lack something ({time.monotonic() - began:.1f} s)", flush=True)
        for title, found in chain(result.failed[:None if verbose else 3], result.lacking[:None if verbose else 1]):
            print(f"    {title}\n        {found}", flush=True)
        if state and state != result.state():
            surprises += 1
            print(f"    UNEXPECTED: the list says that it {state} {reason}", flush=True)
    print(f"{passed} of {applicable} specifications passed that lack nothing, {permutations} of {ran} permutations; {surprises} unlike the list")
    return 1 if surprises or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
