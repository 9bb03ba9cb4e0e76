-- What writers do for the log now and then. Every 32nd entry gets a mark, and so does one that says that
-- any edge may have changed. The log is kept bounded: between 262144 and 327680 entries. Whoever is further
-- behind than that reads the whole table, which is faster by then. No function is called, and the table of
-- marks is not told its rowid: with either, SQLite would keep a journal for every statement of a transaction.
CREATE TRIGGER {schema}.{tended} AFTER INSERT ON {log} WHEN new.rowid & 31 = 0 OR new.edge IS NULL BEGIN
  INSERT INTO {marks}(unused) VALUES (NULL);
  UPDATE {log} SET mark = (SELECT mark FROM {marks} ORDER BY mark LIMIT 1) WHERE rowid = new.rowid;
  DELETE FROM {marks} WHERE mark < 9223372036854775807;
  DELETE FROM {log} WHERE new.rowid & 65535 = 0 AND rowid <= new.rowid - 262144;
END
