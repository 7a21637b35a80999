"""A matrix product on one thread."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

_ONE_THREAD = 400_000
"""Multiplications up to which OpenBLAS stays on the calling thread."""


def product(left: FloatArray, right: FloatArray) -> FloatArray:
    """`left @ right`, in pieces so small that no other thread is woken.

    Threads of a BLAS wait by spinning: at these sizes they double the time of the processor and
    save none on a machine that does something else too.

    Args:
        left: Many rows.
        right: Few columns.

    Example:
        >>> product(np.ones((3, 2)), np.ones((2, 1))).tolist()
        [[2.0], [2.0], [2.0]]
    """
    rows, inner = left.shape
    columns = right.shape[1]
    block = max(1, _ONE_THREAD // max(1, inner * columns))
    whole = rows - rows % block
    out = np.empty((rows, columns))
    shape = (-1, block, columns)
    np.matmul(left[:whole].reshape(-1, block, inner), right, out=out[:whole].reshape(shape))
    if whole < rows:
        np.matmul(left[whole:], right, out=out[whole:])
    return out
