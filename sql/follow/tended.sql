-- Maintains the log. Every 32nd entry gets a mark, and so does an entry that says that
-- any edge may have changed. The log is trimmed to between 262144 and 327680 entries. A
-- mirror that is further behind reads the whole table, which is faster then. The trigger
-- calls no function and gives no rowid to the table of marks: with either, SQLite would
-- keep a journal for every statement of a transaction.
CREATE TRIGGER {schema}.{tended} AFTER INSERT ON {log} WHEN new.rowid & 31 = 0 OR new.edge IS NULL BEGIN
  INSERT INTO {marks}(unused) VALUES (NULL);
  UPDATE {log} SET mark = (SELECT mark FROM {marks} ORDER BY mark LIMIT 1) WHERE rowid = new.rowid;
  DELETE FROM {marks} WHERE mark < 9223372036854775807;
  DELETE FROM {log} WHERE new.rowid & 65535 = 0 AND rowid <= new.rowid - 262144;
END
