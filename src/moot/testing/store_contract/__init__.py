"""The contract of `moot.store.port` as tests that run over every store.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def open_store(self, tmp_path):
            return lambda: MyStore.open(tmp_path / "debates")

`open_store` opens one database, each call anew, as another process would. Nothing else is needed.
"""

from __future__ import annotations

from moot.testing.store_contract.asked import AskedContract
from moot.testing.store_contract.attachments import AttachmentContract
from moot.testing.store_contract.deaths import DeathContract
from moot.testing.store_contract.labels import LabelContract
from moot.testing.store_contract.leases import LeaseContract
from moot.testing.store_contract.links import LinkContract
from moot.testing.store_contract.listing import ListContract
from moot.testing.store_contract.log import LogContract
from moot.testing.store_contract.racing import RaceContract
from moot.testing.store_contract.refusals import RefusalContract
from moot.testing.store_contract.searching import SearchContract


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
