-- The log: which edges of the table have been written to, in order. `edge` is a rowid; NULL says that
-- any edge may have changed. Triggers in plain SQL write it, so any process can.
CREATE TABLE {schema}.{log}(seq INTEGER PRIMARY KEY, edge);
-- Marks tell histories apart, where an older file has been put in the place of this one and written to
-- since: `mark` is random. SQLite chooses it so where the largest rowid is taken, which the first row does.
CREATE TABLE {schema}.{marks}(mark INTEGER PRIMARY KEY, seq INTEGER UNIQUE ON CONFLICT REPLACE);
INSERT INTO {schema}.{marks} VALUES (9223372036854775807, NULL);
INSERT INTO {schema}.{marks}(seq) VALUES (0)
