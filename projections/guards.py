"""What the database itself refuses in the tables of the ledger, whoever writes to them (ADR 0010).

A transaction whose entries do not add up to zero cannot be committed, and what is committed can neither be changed nor deleted, only
dropped with its tables when the ledger is built anew. The entries of rulings cannot be changed or deleted either.
"""

from typing import Final

SQLITE: Final = (
    """
    CREATE TRIGGER ledger_transaction_closes BEFORE INSERT ON ledger_transactions
    BEGIN
        SELECT RAISE(ABORT, 'ledger: this transaction is closed')
        WHERE EXISTS (SELECT 1 FROM ledger_transactions
                      WHERE table_id = NEW.table_id AND version = NEW.version AND part = NEW.part);
        SELECT RAISE(ABORT, 'ledger: the entries of a transaction must add up to zero')
        WHERE (SELECT coalesce(sum(amount), 1) FROM ledger_entries
               WHERE table_id = NEW.table_id AND version = NEW.version AND part = NEW.part) <> 0;
    END
    """,
    """
    CREATE TRIGGER ledger_entry_comes_first BEFORE INSERT ON ledger_entries
    BEGIN
        SELECT RAISE(ABORT, 'ledger: this transaction is closed')
        WHERE EXISTS (SELECT 1 FROM ledger_transactions
                      WHERE table_id = NEW.table_id AND version = NEW.version AND part = NEW.part);
        SELECT RAISE(ABORT, 'ledger: this entry is written already')
        WHERE EXISTS (SELECT 1 FROM ledger_entries
                      WHERE table_id = NEW.table_id AND version = NEW.version AND part = NEW.part
                      AND account = NEW.account);
        SELECT RAISE(ABORT, 'ledger: an amount is a whole number of 1/10,000')
        WHERE typeof(NEW.amount) <> 'integer';
    END
    """,
    """
    CREATE TRIGGER ledger_transaction_is_not_changed BEFORE UPDATE ON ledger_transactions
    BEGIN SELECT RAISE(ABORT, 'ledger: what is written stays as it is; a ruling corrects it'); END
    """,
    """
    CREATE TRIGGER ledger_transaction_is_not_deleted BEFORE DELETE ON ledger_transactions
    BEGIN SELECT RAISE(ABORT, 'ledger: what is written stays as it is; a ruling corrects it'); END
    """,
    """
    CREATE TRIGGER ledger_entry_is_not_changed BEFORE UPDATE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger: what is written stays as it is; a ruling corrects it'); END
    """,
    """
    CREATE TRIGGER ledger_entry_is_not_deleted BEFORE DELETE ON ledger_entries
    BEGIN SELECT RAISE(ABORT, 'ledger: what is written stays as it is; a ruling corrects it'); END
    """,
)
"""SQLite has no triggers at commit, so entries come first and their transaction closes them: inserting it checks the sum, nothing can be
added afterwards, and the deferred foreign key lets no entry be committed without it. Where somebody has switched foreign keys off, such an
entry counts nowhere, because readers join entries to their transaction. `INSERT OR REPLACE` fires no trigger of a deletion, therefore
inserting looks first whether there is such a row."""

_STAYS: Final = """
    CREATE OR REPLACE FUNCTION ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'ledger: what is written stays as it is; a ruling corrects it'
        USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """

POSTGRES: Final = (
    """
    CREATE OR REPLACE FUNCTION ledger_adds_up() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF (SELECT coalesce(sum(amount), 1) FROM ledger_entries
            WHERE table_id = NEW.table_id AND version = NEW.version AND part = NEW.part) <> 0 THEN
            RAISE EXCEPTION 'ledger: the entries of a transaction must add up to zero'
            USING ERRCODE = 'integrity_constraint_violation', DETAIL = NEW.table_id || ':' || NEW.version;
        END IF;
        RETURN NULL;
    END $$
    """,
    _STAYS,
    """
    CREATE CONSTRAINT TRIGGER ledger_transaction_adds_up AFTER INSERT ON ledger_transactions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_adds_up()
    """,
    """
    CREATE CONSTRAINT TRIGGER ledger_entry_adds_up AFTER INSERT ON ledger_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_adds_up()
    """,
    """
    CREATE TRIGGER ledger_transaction_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transactions
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays()
    """,
    """
    CREATE TRIGGER ledger_entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays()
    """,
)
"""PostgreSQL checks every transaction that was written to when it commits."""

RULINGS_SQLITE: Final = (
    """
    CREATE TRIGGER ledger_adjustment_is_new BEFORE INSERT ON ledger_adjustments
    BEGIN
        SELECT RAISE(ABORT, 'ledger: this entry is written already')
        WHERE EXISTS (SELECT 1 FROM ledger_adjustments
                      WHERE dispute_id = NEW.dispute_id AND version = NEW.version
                      AND account = NEW.account AND unit = NEW.unit);
    END
    """,
    """
    CREATE TRIGGER ledger_adjustment_is_not_changed BEFORE UPDATE ON ledger_adjustments
    BEGIN SELECT RAISE(ABORT, 'ledger: what is written stays as it is; a ruling corrects it'); END
    """,
    """
    CREATE TRIGGER ledger_adjustment_is_not_deleted BEFORE DELETE ON ledger_adjustments
    BEGIN SELECT RAISE(ABORT, 'ledger: what is written stays as it is; a ruling corrects it'); END
    """,
)
"""The entries of rulings, which are in the dispute desk's view."""

RULINGS_POSTGRES: Final = (
    _STAYS,
    """
    CREATE TRIGGER ledger_adjustment_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_adjustments
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays()
    """,
)
