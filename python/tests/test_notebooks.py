"""What notebooks show: pictures and tables in which nothing of a model is markup."""

import xml.etree.ElementTree as xml

import evenhand

from conftest import missing

HOSTILE = """
bool free = true;
active [2] proctype p() {
    do
    :: true -> atomic { free -> printf("</svg><script>alert(1)</script>&"); free = false };
       free = true
    od
}
ltl entry { [] <> (free == 0) && <> (free < 0 || free > 1) }
"""


def parsed(svg: str) -> xml.Element:
    root = xml.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return root


def test_a_run_is_a_chart(semaphore):
    run = semaphore.check("entry", no_fairness=True, fair="weak")[0].run
    chart = parsed(run.svg())
    texts = ["".join(text.itertext()) for text in chart.iter("{http://www.w3.org/2000/svg}text")]
    assert "repeats for ever" in texts
    for step in run:
        assert str(step.number) in texts
    shorter = "".join(parsed(run.svg(most=2)).itertext())
    assert f"and {len(run.steps) - 2} more steps" in shorter
    assert "Why it is fair" in run._repr_html_() and run.why[0][:10] in run._repr_html_()


def test_messages_are_arrows(models):
    run = evenhand.load(models / "promela" / "alternating_bit.pml").simulate(60)
    groups = parsed(run.svg()).findall("{http://www.w3.org/2000/svg}g")
    assert len(groups) > 3


def test_an_automaton_is_a_picture():
    automaton = evenhand.translate("G (p -> F q)")
    picture = parsed(automaton._repr_svg_())
    assert len(picture.findall("{http://www.w3.org/2000/svg}circle")) == automaton.states
    assert automaton.acceptance in automaton._repr_html_()
    long = evenhand.translate(" & ".join(f"F p{n}" for n in range(6)))
    assert long.states > 40 and long._repr_svg_() is None
    assert "too many" in long._repr_html_()


def test_nothing_of_a_model_is_markup():
    name = "<img src=x onerror=alert(1)>.pml"
    model = evenhand.parse(HOSTILE, "promela", name=name)
    report = model.check("entry")
    assert report["entry"].violated
    shown = [
        model._repr_html_(),
        report._repr_html_(),
        report[0].run._repr_html_(),
        report.page()._repr_html_(),
        model.simulate(5)._repr_html_(),
        evenhand.translate('"<script>" U b')._repr_html_(),
    ]
    for html in shown:
        assert "<script" not in html and "<img" not in html
        assert html.count("<svg") == html.count("</svg>")


def test_tables_have_every_property(models):
    model = evenhand.load(models / "promela" / "philosophers.pml")
    report = model.check()
    html = report._repr_html_()
    for each in report:
        assert each.name in html and each.verdict in html
    assert html.count("<details") == len(report.violated) == 2
    advice = model.advise("accessible")._repr_html_()
    assert "accessible" in advice


def test_a_notebook_shows_progress_and_stops_when_it_is_told(tmp_path):
    """In a real kernel: a line while the check goes on, gone at its end; an interrupt is KeyboardInterrupt."""
    try:
        import ipykernel  # noqa: F401
        import nbformat
        from nbclient import NotebookClient
    except ImportError as error:
        missing(f"{error}; `pip install evenhand[test]` brings it")
    cells = [
        "import evenhand, os, signal, threading",
        "model = evenhand.parse('byte x[8]; active [8] proctype p() { do :: x[_pid]++ od }')",
        "model.check('deadlock', limit_time=2, reduce='none')",
        "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    model.check('deadlock', reduce='none', progress=False)\n"
        "except KeyboardInterrupt:\n    print('stopped')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    # In a folder of its own: in this one a kernel finds the sources instead of what was installed.
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    lines = []
    heard = client.process_message

    def listen(message, *rest):
        if message["msg_type"] in ("display_data", "update_display_data"):
            lines.append(message["content"]["data"]["text/plain"])
        return heard(message, *rest)

    client.process_message = listen
    client.execute()
    assert any("states" in line and "MB" in line for line in lines) and lines[-1] == ""
    assert "unknown" in notebook.cells[2].outputs[-1]["data"]["text/html"]
    assert notebook.cells[3].outputs[0]["text"] == "stopped\n"
