import pytest

from graphmode.errors import GraphmodeError
from graphmode.graph.saved_model_graph import saved_model_facts


def test_a_signature_is_shown_as_a_session_runs_it(saved_model):
    facts = saved_model_facts(saved_model, "serving_default")
    assert facts.before.ops["Conv2D"] == 1
    (fused,) = facts.after.fused
    assert fused.fused_ops == ("BiasAdd", "Relu")
    assert facts.inputs == {"image": "[1, 8, 8, 3]:float32"}
    (kernel,) = facts.variables
    assert (kernel.shape, kernel.dtype, kernel.bytes) == ((3, 3, 3, 8), "float32", 864)


def test_other_signatures_and_the_saving_ops_are_left_out(saved_model):
    facts = saved_model_facts(saved_model, "serving_default")
    assert {"DecodePng", "SaveV2", "RestoreV2"} & set(facts.before.ops) == set()


def test_a_string_input_comes_from_a_file(saved_model, photo):
    facts = saved_model_facts(saved_model, "size", {"photo": photo})
    assert facts.after.ops["DecodePng"] == 1
    with pytest.raises(GraphmodeError, match=r"does not run on these inputs \(Input is empty"):
        saved_model_facts(saved_model, "size")


def test_what_is_not_there_is_named(saved_model, photo, tmp_path):
    with pytest.raises(GraphmodeError, match="no signature 'other': it has serving_default, size"):
        saved_model_facts(saved_model, "other")
    with pytest.raises(GraphmodeError, match="--input other: no such input; there is photo"):
        saved_model_facts(saved_model, "size", {"other": photo})
    with pytest.raises(GraphmodeError, match="cannot be loaded as a SavedModel"):
        saved_model_facts(tmp_path, "serving_default")
