-- Writers keep the log bounded: between 262144 and 327680 entries. Whoever is further behind than that
-- reads the whole table, which is faster by then.
CREATE TRIGGER {schema}.{trimmed} AFTER INSERT ON {log} WHEN new.seq & 65535 = 0 BEGIN
  DELETE FROM {log} WHERE seq <= new.seq - 262144;
END
