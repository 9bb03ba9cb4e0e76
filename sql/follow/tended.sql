-- What writers do for the log now and then. Every 32nd entry gets a mark, and so does one that says that
-- any edge may have changed (of these the latest alone keeps it). The log is kept bounded: between 262144 and 327680
-- entries. Whoever is further behind than that reads the whole table, which is faster by then. No function
-- is called: with one, SQLite would keep a journal for every statement of a transaction.
CREATE TRIGGER {schema}.{tended} AFTER INSERT ON {log} WHEN new.seq & 31 = 0 OR new.edge IS NULL BEGIN
  DELETE FROM {marks} WHERE seq = new.seq;
  DELETE FROM {marks} WHERE new.edge IS NULL AND seq BETWEEN new.seq - 4 AND new.seq - 1;
  INSERT INTO {marks}(seq) VALUES (new.seq);
  DELETE FROM {marks} WHERE new.seq & 65535 = 0 AND seq <= new.seq - 262144;
  DELETE FROM {log} WHERE new.seq & 65535 = 0 AND seq <= new.seq - 262144;
END
