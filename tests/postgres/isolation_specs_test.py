#!/usr/bin/env python3
"""The runner of isolation specifications: it parses them, convicts answers and waits that differ, and a node answers our own
specifications (isolation/specs) as PostgreSQL 15 did (isolation/expected)."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "clients"), str(HERE.parent / "support")]
from cases import cases_in, run_cases_with_server, tally
from isolation_specs import Spec, differences, expected_of, interleavings, run_spec, statements_of
from postgres_protocol_test import Server

SPECS = HERE / "isolation" / "specs"


def parts(name):
    spec = Spec((SPECS / f"{name}.spec").read_text())
    return spec, (HERE / "isolation" / "expected" / f"{name}.out").read_text()


def test_specifications_are_parsed(_):
    spec = Spec("""# a comment with a { brace
        setup { create table t (k int); }
        session "s 1" setup { begin; } step a { select 1; } step "permutation" { } teardown { rollback; }
        session two step b { select 2; }
        permutation a b ("permutation", a notices 2, *) "permutation"
        permutation b""")
    assert spec.setups == ["create table t (k int);"]
    assert [session[0] for session in spec.sessions] == ["s 1", "two"]
    assert spec.steps == {"a": (0, "select 1;"), "permutation": (0, ""), "b": (1, "select 2;")}
    assert spec.permutations == [[("a", []), ("b", [["permutation"], ["a", "notices", "2"], ["*"]]), ("permutation", [])], [("b", [])]]
    assert Spec("session s step a { } step b { } session t step c { }").permutations == [
        [(name, []) for name in order] for order in (("a", "b", "c"), ("a", "c", "b"), ("c", "a", "b"))]
    assert len(list(interleavings([[1, 2, 3], [4, 5, 6]]))) == 20
    assert statements_of("select ';'; -- no; end\nselect $x$ a; b $x$ ; ;") == ["select ';'", "-- no; end\nselect $x$ a; b $x$"]


def test_the_node_answers_our_specifications_as_postgres_does(server):
    for path in sorted(SPECS.glob("*.spec")):
        spec, expected = parts(path.stem)
        result = run_spec(server, spec, [expected])
        assert result.state() == "passes" and result.passed == len(spec.permutations) > 5, (path.stem, result.failed, result.lacking)


def test_planted_faults_are_convicted(server):
    spec, expected = parts("same-key")
    for good, bad in (("2|ben", "2|bob"), ("INSERT INTO seats VALUES (1, 'cleo'); <waiting ...>", "INSERT INTO seats VALUES (1, 'cleo');"),
                      ('ERROR:  duplicate key value violates unique constraint "seats_pkey"', "ERROR:  division by zero")):
        assert good in expected
        assert run_spec(server, spec, [expected.replace(good, bad)]).failed, good
    events = [(name, kind, answer) for name, kind, answer in expected_of("\n" + expected, spec)[0][1]]
    assert differences(events, events) == ""
    assert differences(events, events[:-1]) != ""
    lacking = run_spec(server, Spec("session s step a { listen c; }"), ["\nstarting permutation: a\nstep a: listen c;\n"])
    assert lacking.state() == "lacks", (lacking.passed, lacking.failed)


if __name__ == "__main__":
    sys.exit(tally(*run_cases_with_server(cases_in(globals()), Server())))
