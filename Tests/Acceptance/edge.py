"""With HEARTH_EDGE=1 each server of the tests runs as a cluster node that owns no database: a second node, with a folder of its
own, owns all databases. So every operation crosses a process boundary."""

import atexit
import functools
import os
import pathlib
import shutil
import tempfile

from ports import free_ports
from postgres import Postgres

IS_WANTED = os.environ.get("HEARTH_EDGE") == "1"
# Options with which the test, or the emulator, chooses the journals' storage itself.
FOREIGN = {"--cluster", "--journal"}


@functools.cache
def _postgres():
    """Returns the PostgreSQL that all servers of this process share; each server uses a database of its own in it."""
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
    # A folder that a test has filled with journals stays as it is.
    has_journals = (data / "accounts.sqlite").exists() or any((data / "databases").glob("*.sqlite"))
    return IS_WANTED and command in ("serve", "dev") and not FOREIGN & set(options) and not has_journals


# Tests that do not apply to a node without databases: a reason, and parts of the tests' names.
UNFIT = {
    "journals are not in the data folder": [
        "[stopped]", "stopped_folder", "test_backup.py", "test_damage.py", "test_migrate.py", "test_first_start.py",
        "test_full_disk.py", "test_old_folders.py", "test_trigger_kills.py", "test_a_folder_without_a_server",
        "test_a_killed_server_leaves_a_folder", "test_doctor.py", "test_the_commands_of_the_data_folder_guide_run",
        "test_a_copied_folder_sends_no_event_until_it_is_confirmed", "test_triggers_are_paused_resumed_and_removed",
        "test_rules_are_rolled_back_after_a_crash_and_on_a_stopped_folder",
        "test_rules_are_staged_promoted_and_rolled_back", "test_erasure.py",
        "test_a_kill_leaves_no_half_created_or_half_deleted_database", "test_a_backup_of_a_running_server",
        "test_receipts_outlive", "test_an_erasure_is_completed_after_a_restart", "test_migrate_folder.py",
        "test_every_command_on_the_folder", "test_unsuitable_postgres_servers_prevent_the_start",
    ],
    "what a dead node's clients left to be done is done when its lease is over, and not at its start": [
        "test_crash.py", "test_on_disconnect.py::test_on_disconnect_writes_are_made_once_despite_kills",
        "test_on_disconnect.py::test_on_disconnect_writes_have_the_identity_of_the_closed_connection",
        "test_on_disconnect.py::test_a_kill_during_the_replacement_of_a_connection_loses_no_write",
    ],
    "what a node has seen of the time, before the clocks of all are set back, is not known to the owner of the accounts": [
        "test_a_revocation_holds_after_the_clock_is_set_back",
    ],
    "positions count the sessions of nodes as well": ["test_history.py", "test_cut_offs.py"],
    "the accounts are the owner's, with its plugins and its way to send mail": [
        "test_password_reset", "test_reset_through_the_page", "test_e_mail_verification", "test_sign_in_by_mailed_link",
        "test_linking_another_address_replaces_the_first", "test_claims_plugin.py", "test_foreign_tokens.py",
        "test_ldap.py", "test_plugins.py", "test_swift_plugin.py", "test_webhook_plugins.py", "test_sending_plugins.py",
        "test_postgres_passwords.py", "test_readme.py::test_the_account_commands_run",
        "test_a_plugin_writes_changes_into_a_search_index", "test_refusals_and_sessions_are_in_the_audit_trail",
        "test_the_forwarded_protocol_of_a_trusted_proxy_is_believed",
    ],
    "each node has an administrator's token of its own making": [
        "test_a_replaced_administrator_token_is_in_force_after_a_restart",
    ],
    "an emulator's further projects are in the memory of one process": ["test_emulator.py"],
    "the console's links are those of one process": ["test_console_page.py"],
    "what is decided is counted and logged by the owner": [
        "test_a_scrape_counts_operations", "test_the_log_is_written_as_json_objects", "test_a_renewed_certificate",
        "test_denials_are_streamed_with_their_rule_and_repeated_ones_are_counted",
    ],
    "transactions that compare hashes have no turns where another node decides them": [
        "test_transactions_of_several_processes", "test_transactions_of_many_threads",
    ],
}


def mark_unfit(items):
    """Skips the tests that do not apply to a node without databases."""
    import pytest

    for item in items:
        for reason, parts in UNFIT.items():
            if any(part in item.nodeid for part in parts):
                item.add_marker(pytest.mark.skip(reason=reason))


class Pair:
    """The options of the two nodes of one test's server."""

    count = 0

    def __init__(self):
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
