-- The log lists the rows of the edge table that have been written to, in the order of its
-- own rowids. `edge` is a rowid of the edge table; NULL means that any edge may have
-- changed. Triggers in plain SQL write the log, so any process can write to the table.
-- `mark` is a random number in some entries. Marks distinguish histories if an older file
-- has replaced this one and has been written to since. The log has no primary key, so
-- that sqlite3session ignores it: a changeset must not bring entries of another file.
CREATE TABLE {schema}.{log}(edge, mark);
INSERT INTO {schema}.{log} VALUES (NULL, random() & 9223372036854775807);
-- The source of marks: SQLite chooses a random rowid if the largest rowid is in use.
CREATE TABLE {schema}.{marks}(mark INTEGER PRIMARY KEY, unused);
INSERT INTO {schema}.{marks} VALUES (9223372036854775807, NULL)
