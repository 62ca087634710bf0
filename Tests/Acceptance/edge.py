"""Every server of the tests as a node that owns nothing, with HEARTH_EDGE=1: beside each runs another node, on a folder
of its own, which owns all that the first one serves. So every operation crosses to another process."""

import atexit
import functools
import os
import pathlib
import shutil
import tempfile

from postgres import Postgres

IS_WANTED = os.environ.get("HEARTH_EDGE") == "1"
# Where the journals are is said by the test itself, or by the emulator.
FOREIGN = {"--cluster", "--journal"}


@functools.cache
def _postgres():
    """One for all servers of this process; each has a database in it."""
    postgres = Postgres(connections=200).start()
    atexit.register(postgres.remove)
    return postgres


@functools.cache
def _identities():
    from cluster_nodes import make_identities

    folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-edge-"))
    atexit.register(shutil.rmtree, folder, True)
    make_identities(folder / "identities", ["edge", "owner"])
    return folder / "identities"


def is_meant(data, command, options):
    # Not one whose folder somebody has filled with journals.
    has_journals = (data / "accounts.sqlite").exists() or any((data / "databases").glob("*.sqlite"))
    return IS_WANTED and command in ("serve", "dev") and not FOREIGN & set(options) and not has_journals


# What such a node is not asked for: the reason, and parts of the names of tests.
UNFIT = {
    "journals are not in the data folder": [
        "[stopped]", "stopped_folder", "test_backup.py", "test_damage.py", "test_migrate.py", "test_first_start.py",
        "test_full_disk.py", "test_old_folders.py", "test_trigger_kills.py", "test_a_folder_without_a_server",
        "test_a_killed_server_leaves_a_folder", "where_no_server_runs", "test_doctor.py", "test_the_data_folder",
        "test_a_copy_of_the_folder", "test_pause_resume_and_remove", "test_one_goes_back_also_after_a_crash",
        "test_rules_are_tried_promoted", "test_erasure.py", "test_nothing_is_left_half_by_a_kill",
        "test_a_backup_of_a_running_server", "test_receipts_outlive", "test_an_order_outlives", "test_migrate_folder.py",
        "test_every_command_on_the_folder", "test_starts_that_are_refused",
    ],
    "what a dead node's clients left to be done is done when its lease is over, and not at its start": [
        "test_crash.py", "test_on_disconnect.py::test_everything_is_done_once_over_all_kills",
        "test_on_disconnect.py::test_it_is_done_in_the_name", "test_on_disconnect.py::test_a_kill_in_the_midst",
    ],
    "what a node has seen of the time, before the clocks of all are set back, is not known to the owner of the accounts": [
        "test_a_clock_that_was_set_back_saves_no_token",
    ],
    "positions count the sessions of nodes as well": ["test_history.py", "test_cut_offs.py"],
    "the accounts are the owner's, with its plugins and its way to send mail": [
        "test_password_reset", "test_reset_through_the_page", "test_e_mail_verification", "test_sign_in_by_mailed_link",
        "test_another_address_is_linked", "test_claims_plugin.py", "test_foreign_tokens.py", "test_ldap.py",
        "test_plugins.py", "test_swift_plugin.py", "test_webhook_plugins.py", "test_sending_plugins.py",
        "test_postgres_passwords.py", "test_readme.py::test_accounts", "test_a_plugin_takes_what_is_written",
        "test_refusals_and_sessions_are_in_the_audit_trail", "test_a_trusted_proxy_is_believed",
    ],
    "each node has an administrator's token of its own making": ["test_a_replaced_administrators_token"],
    "an emulator's further projects are in the memory of one process": ["test_emulator.py"],
    "the console's links are those of one process": ["test_console_page.py"],
    "what is decided is counted and logged by the owner": [
        "test_a_scrape_counts", "test_the_log_as_objects", "test_a_renewed_certificate", "test_denials_are_told",
    ],
    "transactions that compare hashes have no turns where another node decides them": [
        "test_transactions_of_several_processes", "test_transactions_of_many_threads",
    ],
}


def mark_unfit(items):
    """Skips what cannot be asked of a node that owns nothing."""
    import pytest

    for item in items:
        for reason, parts in UNFIT.items():
            if any(part in item.nodeid for part in parts):
                item.add_marker(pytest.mark.skip(reason=reason))


class Pair:
    """What the two nodes of one test's server are started with."""

    count = 0

    def __init__(self):
        from cluster_nodes import free_ports

        Pair.count += 1
        self.database = f"edge{Pair.count}"
        _postgres().sql(f"CREATE DATABASE {self.database}")
        self.ports = dict(zip(("edge", "owner"), free_ports(2)))

    def options(self, name):
        other = "owner" if name == "edge" else "edge"
        url = _postgres().url().replace("/postgres?", f"/{self.database}?")
        return ["--cluster", url, "--node", f"{name}=127.0.0.1:{self.ports[name]}", "--peer",
                f"{other}=127.0.0.1:{self.ports[other]}", "--cluster-identity", str(_identities() / name),
                *(["--edge"] if name == "edge" else [])]
