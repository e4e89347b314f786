"""Models are read and asked; what comes back is what the command says."""

import json
import subprocess
from pathlib import Path

import pytest

import evenhand


def test_weak_fairness_is_not_enough_and_strong_is(semaphore):
    report = semaphore.check("entry", no_fairness=True, fair="weak")
    entry = report["entry"]
    assert (entry.verdict, entry.fairness) == ("violated", ["weak"])
    run = entry.run
    assert run.shortest and len(run) == run.length == len(run.steps) - 1
    assert run.cycle and all(step.repeats for step in run.cycle)
    assert run.prefix[0].kind == "init" and run.prefix[0].changes == run.prefix[0].state
    assert run.why and {each["fairness"] for each in run.evidence} == {"weak"}
    strong = semaphore.check("entry", no_fairness=True, fair=["strong"])
    assert strong.holds and strong["entry"].checked and strong["entry"].run is None


def test_rows_are_for_tables(semaphore):
    report = semaphore.check("entry", no_fairness=True, fair="weak")
    (row,) = report.rows()
    assert row["verdict"] == "violated" and row["length"] == len(report[0].run)
    rows = report[0].run.rows()
    assert [each["step"] for each in rows] == list(range(len(rows)))
    assert len({tuple(each) for each in rows}) == 1, "each row has the same columns"
    assert [each["repeats"] for each in rows].count(True) == len(report[0].run.cycle)


def test_a_report_is_no_truth_value(semaphore):
    report = semaphore.check("entry", fair="strong")
    with pytest.raises(TypeError, match="holds"):
        bool(report)
    with pytest.raises(TypeError, match="verdicts"):
        bool(report[0])
    with pytest.raises(KeyError, match="entry"):
        report["entri"]


def test_formulas_invariants_and_automata(semaphore):
    report = semaphore.check(
        ltl=["[] <> (semaphore == 1)", "<> [] (semaphore == 1)"],
        ctl="EF (semaphore == 0)",
        invariant="inside <= 1",
        fair="strong",
        no_fairness=True,
        counterexample="none",
    )
    verdicts = {each.formula: each.verdict for each in report}
    assert verdicts["[] <> (semaphore == 1)"] == "holds"
    assert verdicts["<> [] (semaphore == 1)"] == "violated"
    assert verdicts["EF (semaphore == 0)"] == "holds"
    assert verdicts["inside <= 1"] == "holds"
    assert all(each.run is None for each in report)
    assert semaphore.check(automaton=evenhand.translate("F false"))[0].holds


def test_an_automaton_from_a_file(semaphore, tmp_path):
    file = tmp_path / "bad.hoa"
    file.write_text(evenhand.translate("F G busy").hoa.replace('"busy"', '"semaphore == 0"'))
    assert semaphore.check(automaton=file, fair="strong", no_fairness=True)[0].holds
    assert semaphore.check(good_automaton=[file], fair="strong", no_fairness=True)[0].violated


def test_limits_end_in_unknown(endless):
    report = endless.check(ltl="<> [] (x[0] == 0)", limit_states=2000, engine="feasible")
    assert report[0].verdict == "unknown" and "state" in report[0].reason
    assert endless.check("deadlock", limit_time=0.2, reduce="none")[0].unknown
    found = endless.states(limit_states=5000)
    assert not found.complete and found.states == 5000 and found.reason
    assert evenhand.parse("byte x; active proctype p() { do :: x++ od }").states().states == 256


def test_advice_is_minimal(semaphore):
    advice = semaphore.advise("entry", by="label")["entry"]
    assert advice.outcome == "needs" and advice.complete
    for assignment in advice.assignments:
        again = semaphore.check("entry", no_fairness=True, fair=assignment.fairness)
        assert again.holds
        for need in assignment.needs:
            assert need.run is not None and need.run.cycle
    rows = advice.rows()
    assert rows and set(rows[0]) == {
        "properties", "outcome", "assignment", "fairness", "item", "level", "fails_with",
    }  # fmt: skip
    assert "entry" in str(advice) and advice.annotation.strip()


def test_a_random_run_follows_from_its_seed(semaphore):
    first = semaphore.simulate(30, seed=7)
    assert first.rows() == semaphore.simulate(30, seed=7).rows()
    assert len({str(semaphore.simulate(30, seed=seed)) for seed in range(8)}) > 1
    assert len(first) == 30 and first.outcome and not first.cycle
    with pytest.raises(ValueError, match="random"):
        first.page()


def test_formulas_and_automata_by_themselves():
    first, second = evenhand.formula("F G p", "G F p")
    assert (first.class_, second.class_, second.first_is) == ("persistence", "recurrence", "stronger")
    assert second.other_only["cycle"]
    automaton = evenhand.translate("G (p -> F q)", "buchi")
    assert automaton.propositions == ["p", "q"] and automaton.states == 2
    assert {edge.source for edge in automaton.edges} == {0, 1}
    assert automaton.hoa.startswith("HOA: v1") and automaton.dot.startswith("digraph")
    assert automaton.never.startswith("never")


def test_all_languages(models):
    expected = {
        "promela/peterson.pml": "promela",
        "smv/semaphore.smv": "smv",
        "tla/Semaphore.tla": "tla",
        "petri/semaphore.pnml": "pnml",
        "petri/line.pn": "maria",
    }
    for name, language in expected.items():
        model = evenhand.load(models / name)
        assert model.language == language and model.text
        assert model.properties(), name
    weak = evenhand.load(
        models / "tla" / "Semaphore.tla", config=models / "tla" / "SemaphoreWeak.cfg"
    )
    assert weak.check("Entry")["Entry"].violated
    net = evenhand.load(
        models / "petri" / "semaphore.pnml", properties=[models / "petri" / "semaphore.xml"]
    )
    assert len(net.properties()) > 1
    defined = evenhand.parse("byte x = N; active proctype p() { assert(x == 3) }", define={"N": 3})
    assert defined.check("assertions").holds


def timeless(value):
    """The same without what differs from call to call."""
    differs = {"seconds", "peak_memory_bytes", "model", "file"}
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in differs}
    return [timeless(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "name",
    ["promela/philosophers.pml", "promela/alternating_bit.pml", "smv/lift.smv", "petri/courier.pnml"],
)
def test_the_command_says_the_same(models, command, name):
    path = models / name
    done = subprocess.run(
        [command, "check", "--format", "json", path], capture_output=True, text=True, check=False
    )
    report = evenhand.load(path).check()
    assert timeless(report.json) == timeless(json.loads(done.stdout))
    told = subprocess.run([command, "check", path], capture_output=True, text=True, check=False)
    lines = [line.split("(")[0] for line in told.stdout.splitlines() if "states" not in line]
    ours = [line.split("(")[0] for line in str(report).splitlines() if "states" not in line]
    assert ours == lines


def test_models_are_shared_between_threads(models):
    from concurrent.futures import ThreadPoolExecutor

    model = evenhand.load(models / "promela" / "peterson.pml")
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda fair: model.check(fair=fair), ["weak", "strong"] * 4))
    assert len({str(report.rows()[0]["verdict"]) for report in reports}) == 1


def test_pages_are_whole(semaphore, tmp_path):
    report = semaphore.check("entry", no_fairness=True, fair="weak")
    for number, page in enumerate([report.page(), report[0].run.page(), semaphore.advise("entry").page()]):
        file = Path(tmp_path / f"{number}.html")
        page.save(file)
        text = file.read_text(encoding="utf-8")
        assert text.startswith("<!") and text.rstrip().endswith("</html>") and "entry" in text


CLOCK = """---- MODULE Clock ----
EXTENDS Naturals
VARIABLES x, b, s
Init == x = 0 /\\ b = FALSE /\\ s = "TRUE"
Tick == x' = (x + 1) % 3 /\\ b' = ~b /\\ UNCHANGED s
Spec == Init /\\ [][Tick]_<<x, b, s>>
====
"""


@pytest.fixture
def clock(tmp_path):
    config = tmp_path / "Clock.cfg"
    config.write_text("SPECIFICATION Spec\n", encoding="utf-8")
    return evenhand.parse(CLOCK, config=config)


def test_truth_values_of_tla_are_those_of_python(clock):
    run = clock.check(invariant="x < 1")[0].run
    assert [(row["b"], row["s"]) for row in run.rows()] == [(False, '"TRUE"'), (True, '"TRUE"')]
    assert run.steps[1].changes == {"x": 1, "b": True}
    assert clock.simulate(1).rows()[0]["b"] is False
    need = clock.advise(ltl="<>(x = 2)")[0].assignments[0].needs[0]
    assert need.run.rows()[0]["b"] is False


def test_texts_count_in_words(clock):
    assert repr(clock.check(invariant="x < 1")[0].run) == "<Run: 1 step>"
    assert repr(clock.check(ltl="[]<>(x = 3)", fair="weak")[0].run) == "<Run: 6 steps that repeat>"
    assert repr(evenhand.translate("G p", "buchi")) == "<Automaton of G p: 1 state, 1 edge>"
    html = clock.advise(ltl="<>(x = 2)")._repr_html_()
    assert "holds under weak fairness of Tick and nothing less will do." in html
    assert "without fairness of Tick it fails" in html
