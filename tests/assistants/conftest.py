"""The misbehaving endpoint as a fixture."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def fault_server() -> Any:
    """The class `FaultServer`."""
    path = Path(__file__).with_name("fault_server.py")
    spec = importlib.util.spec_from_file_location("fault_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FaultServer
