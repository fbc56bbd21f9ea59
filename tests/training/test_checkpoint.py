"""A checkpoint gives every variable back; a damaged one is named, with what to do."""

import numpy as np
import pytest

from training.checkpoint import restore_best, restore_checkpoint, save_best, save_checkpoint
from training.config import TrainConfig
from training.errors import TrainingError
from training.network import tiny
from training.optimizer import make_optimizer


def variables_of(classes=2):
    model = tiny(classes)
    other = tiny(classes)
    optimizer = make_optimizer(TrainConfig(), steps=10)
    optimizer.build(model.trainable_variables)
    return {
        "network": model.variables,
        "averaged": other.variables,
        "optimizer": optimizer.variables,
    }


def flat(groups):
    return [variable for group in groups.values() for variable in group]


def test_every_variable_comes_back(tmp_path):
    saved, others = variables_of(), variables_of()
    for number, variable in enumerate(flat(saved)):
        variable.assign(np.full(variable.shape, number, variable.dtype))
    save_checkpoint(tmp_path, 3, saved)
    assert restore_checkpoint(tmp_path, others) == 3
    for number, variable in enumerate(flat(others)):
        assert np.all(variable.numpy() == number), variable.path


def test_no_checkpoint_is_step_0(tmp_path):
    assert restore_checkpoint(tmp_path / "none", variables_of()) == 0


def test_the_last_two_are_kept_and_the_newest_is_taken(tmp_path):
    variables = variables_of()
    for epochs in (9, 10, 11):
        save_checkpoint(tmp_path, epochs, variables)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "step-000010.npz",
        "step-000011.npz",
    ]
    assert restore_checkpoint(tmp_path, variables) == 11


def damaged(path, how):
    content = bytearray(path.read_bytes())
    if how == "cut":
        content = content[: len(content) // 2]
    elif how == "empty":
        content = b""
    else:
        content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


@pytest.mark.parametrize("how", ["cut", "empty", "a bit turned"])
def test_a_damaged_checkpoint_is_named_with_what_to_do(how, tmp_path):
    variables = variables_of()
    for epochs in (1, 2):
        save_checkpoint(tmp_path, epochs, variables)
    damaged(tmp_path / "step-000002.npz", how)
    with pytest.raises(TrainingError, match=r"step-000002\.npz.*remove.*from step-000001\.npz"):
        restore_checkpoint(tmp_path, variables)
    (tmp_path / "step-000002.npz").unlink()
    assert restore_checkpoint(tmp_path, variables) == 1


def test_a_damaged_checkpoint_changes_no_variable(tmp_path):
    variables = variables_of()
    save_checkpoint(tmp_path, 1, variables)
    damaged(tmp_path / "step-000001.npz", "cut")
    before = [variable.numpy() for variable in flat(variables)]
    with pytest.raises(TrainingError, match="start from the first epoch"):
        restore_checkpoint(tmp_path, variables)
    for then, now in zip(before, flat(variables), strict=True):
        np.testing.assert_array_equal(then, now.numpy())


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    save_checkpoint(tmp_path, 1, variables_of(classes=3))
    with pytest.raises(TrainingError, match=r"step-000001\.npz"):
        restore_checkpoint(tmp_path, variables_of(classes=2))


def test_the_best_epoch_comes_back_whatever_the_steps_kept(tmp_path):
    variables = variables_of()
    save_best(tmp_path, {"network": variables["network"]})
    before = [variable.numpy() for variable in variables["network"]]
    for variable in variables["network"]:
        variable.assign(np.full(variable.shape, 7, variable.dtype))
    for step in (1, 2, 3):
        save_checkpoint(tmp_path, step, variables)
    restore_best(tmp_path, {"network": variables["network"]})
    for then, now in zip(before, variables["network"], strict=True):
        np.testing.assert_array_equal(then, now.numpy())


def test_a_missing_best_epoch_is_named(tmp_path):
    with pytest.raises(TrainingError, match=r"best\.npz"):
        restore_best(tmp_path, variables_of())
