"""A checkpoint gives every variable back; a damaged one is named, with what to do."""

import numpy as np
import pytest

from training.checkpoint import restore_checkpoint, save_checkpoint
from training.errors import TrainingError
from training.network import tiny
from training.optimizer import make_optimizer


def variables_of(classes=2):
    model = tiny(classes)
    optimizer = make_optimizer(0.1, steps=10)
    optimizer.build(model.trainable_variables)
    return [*model.variables, *optimizer.variables]


def test_every_variable_comes_back(tmp_path):
    saved, others = variables_of(), variables_of()
    for number, variable in enumerate(saved):
        variable.assign(np.full(variable.shape, number, variable.dtype))
    save_checkpoint(tmp_path, 3, saved)
    assert restore_checkpoint(tmp_path, others) == 3
    for number, variable in enumerate(others):
        assert np.all(variable.numpy() == number), variable.path


def test_no_checkpoint_is_epoch_0(tmp_path):
    assert restore_checkpoint(tmp_path / "none", variables_of()) == 0


def test_the_last_two_are_kept_and_the_newest_is_taken(tmp_path):
    variables = variables_of()
    for epochs in (9, 10, 11):
        save_checkpoint(tmp_path, epochs, variables)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["epoch-0010.npz", "epoch-0011.npz"]
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
    damaged(tmp_path / "epoch-0002.npz", how)
    with pytest.raises(TrainingError, match=r"epoch-0002\.npz.*remove.*from epoch-0001\.npz"):
        restore_checkpoint(tmp_path, variables)
    (tmp_path / "epoch-0002.npz").unlink()
    assert restore_checkpoint(tmp_path, variables) == 1


def test_a_damaged_checkpoint_changes_no_variable(tmp_path):
    variables = variables_of()
    save_checkpoint(tmp_path, 1, variables)
    damaged(tmp_path / "epoch-0001.npz", "cut")
    before = [variable.numpy() for variable in variables]
    with pytest.raises(TrainingError, match="start from the first epoch"):
        restore_checkpoint(tmp_path, variables)
    for then, now in zip(before, variables, strict=True):
        np.testing.assert_array_equal(then, now.numpy())


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    save_checkpoint(tmp_path, 1, variables_of(classes=3))
    with pytest.raises(TrainingError, match=r"epoch-0001\.npz"):
        restore_checkpoint(tmp_path, variables_of(classes=2))
