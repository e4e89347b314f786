"""What is wrong is said with its place and a hint."""

import pickle

import pytest

import evenhand


def test_a_mistake_in_a_model_has_its_place():
    with pytest.raises(evenhand.InputError) as caught:
        evenhand.parse("byte x;\nactive proctype p() { y = 1 }", name="slip.pml")
    error = caught.value
    assert (error.file, error.line, error.column) == ("slip.pml", 2, 23)
    assert "slip.pml:2:23" in str(error) and "y = 1" in str(error)
    assert error.diagnostics[0].message == error.diagnostics[0][0]
    again = pickle.loads(pickle.dumps(error))
    assert (again.line, str(again)) == (2, str(error))


def test_formulas_and_assumptions_have_places_too(semaphore):
    with pytest.raises(evenhand.InputError) as caught:
        semaphore.check(ltl="[] (inside == ")
    assert caught.value.line == 1 and caught.value.file.startswith("ltl")
    with pytest.raises(evenhand.InputError):
        semaphore.check("entry", fair="weakly")
    with pytest.raises(evenhand.InputError, match="path quantifier"):
        evenhand.translate("A G p")
    with pytest.raises(evenhand.InputError) as caught:
        evenhand.formula("p", "p U")
    assert caught.value.file == "formula 2"


def test_names_get_hints(semaphore, models, tmp_path):
    with pytest.raises(evenhand.InputError) as caught:
        semaphore.check("entri")
    assert "entry" in caught.value.help
    with pytest.raises(FileNotFoundError, match="semaphore.pml"):
        evenhand.load(models / "promela" / "semaphor.pml")
    with pytest.raises(IsADirectoryError, match="peterson.pml"):
        evenhand.load(models / "promela")
    unknown = tmp_path / "model.txt"
    unknown.write_text("byte x")
    with pytest.raises(evenhand.InputError, match="promela"):
        evenhand.load(unknown)


@pytest.mark.parametrize(
    "wrong",
    [
        {"counterexample": "longest"},
        {"deadlock": "yes"},
        {"reduce": "more"},
        {"threads": 0},
        {"limit_time": -1},
        {"limit_time": float("nan")},
    ],
)
def test_a_wrong_word_is_a_value_error(semaphore, wrong):
    with pytest.raises(ValueError):
        semaphore.check("entry", **wrong)


def test_what_has_no_meaning_together(semaphore, endless):
    with pytest.raises(evenhand.InputError, match="engine"):
        semaphore.check("entry", engine="faster")
    with pytest.raises(TypeError):
        semaphore.check("entry", ltl=3)
    with pytest.raises(ValueError, match="limit_states"):
        endless.states(limit_states=-1)
    with pytest.raises(ValueError, match="seed"):
        endless.simulate(seed=1 << 64)
    assert issubclass(evenhand.InputError, evenhand.Error)


def test_a_hostile_text_is_no_panic():
    for text in ["", "\0", "\ud800".encode("utf-8", "replace").decode(), "(" * 50_000, "ltl {", "#include"]:
        with pytest.raises(evenhand.InputError):
            evenhand.parse(text, "promela")


def test_a_module_without_a_configuration_is_told_how_to_give_one(tmp_path):
    text = "---- MODULE M ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n"
    (tmp_path / "M.tla").write_text(text, encoding="utf-8")
    for read in (lambda: evenhand.parse(text), lambda: evenhand.load(tmp_path / "M.tla")):
        with pytest.raises(evenhand.InputError, match="`config=`") as caught:
            read()
        assert caught.value.line == 1
        assert caught.value.help.endswith("give its file as `config=`")
