-- The log: which edges of the table have been written to, in order. `edge` is a rowid; NULL says that
-- any edge may have changed. Triggers in plain SQL write it, so any process can.
CREATE TABLE {schema}.{log}(seq INTEGER PRIMARY KEY, edge)
