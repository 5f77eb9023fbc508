"""What scale.md shows is tried: its function for Dask, on a cluster of two processes on this machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.audit import audit
from pbem.errors import PbemError
from tests.test_processes import work

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
SHOWN = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of a cluster of two processes."""
    distributed = pytest.importorskip("distributed", reason="no Dask is installed: pip install '.[dask]'")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def each(client: Any, project: Path) -> Any:
    """The function on the page."""
    page = (project / "pbem/docs/scale.md").read_text(encoding="utf-8")
    (shown,) = SHOWN.findall(page)
    names: dict[str, Any] = {}
    exec(shown, names)  # noqa: S102 - the page's own block
    return names["each"]


def test_bundles_are_audited_on_a_cluster_as_here(
    client: Any, each: Any, project: Path, tmp_path: Path
) -> None:
    bundles = sorted(project.glob("games/*/bundle.tar.gz"))
    assert len(bundles) > 1
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"no archive")
    found = list(each(client, audit, [bundles[0], broken, *bundles[1:]]))
    assert [bundle for bundle, _ in found] == [bundles[0], broken, *bundles[1:]]
    (_, fault) = found.pop(1)
    assert isinstance(fault, PbemError)
    assert found == [(bundle, audit(bundle)) for bundle in bundles]


def test_a_game_that_kills_its_process_is_named_and_keeps_no_other_from_it(client: Any, each: Any) -> None:
    found = dict(each(client, work, [4, 5, 7, 8, 9]))
    assert type(found.pop(5)).__name__ == "KilledWorker"
    assert found == {number: number * number for number in (4, 7, 8, 9)}
