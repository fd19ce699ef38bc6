"""The contract of `moot.store.port` as tests that run over every store.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def open_store(self, tmp_path):
            return lambda: MyStore.open(tmp_path / "debates")

`open_store` opens one database, each call anew, as another process would. Nothing else is needed.
"""

from __future__ import annotations

from moot.testing.store_contract.beside_the_log import (
    AskedContract,
    AttachmentContract,
    LabelContract,
    LinkContract,
)
from moot.testing.store_contract.deaths import DeathContract
from moot.testing.store_contract.leases import LeaseContract
from moot.testing.store_contract.listing import ListContract, SearchContract
from moot.testing.store_contract.log import LogContract, RefusalContract
from moot.testing.store_contract.racing import RaceContract


class StoreContract(
    LogContract,
    AttachmentContract,
    RaceContract,
    RefusalContract,
    ListContract,
    LinkContract,
    LabelContract,
    AskedContract,
    SearchContract,
    LeaseContract,
    DeathContract,
):
    """The whole contract."""
