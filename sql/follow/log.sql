-- The log: which edges of the table have been written to, in order of its rowids. `edge` is a rowid of the
-- table; NULL says that any edge may have changed. Triggers in plain SQL write it, so any process can. `mark`
-- is a random number in some entries: marks tell histories apart, where an older file has been put in the
-- place of this one and written to since. There is no primary key, so that sqlite3session leaves the log
-- alone: a changeset must not bring entries of another file.
CREATE TABLE {schema}.{log}(edge, mark);
INSERT INTO {schema}.{log} VALUES (NULL, random() & 9223372036854775807);
-- Where marks come from: SQLite chooses a rowid at random where the largest one is taken.
CREATE TABLE {schema}.{marks}(mark INTEGER PRIMARY KEY, unused);
INSERT INTO {schema}.{marks} VALUES (9223372036854775807, NULL)
