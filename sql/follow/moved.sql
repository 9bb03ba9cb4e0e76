-- An update gave the row another rowid. The SELECT has no effect: ALTER TABLE rewrites it, so that it
-- names the table's columns whatever they are called by now.
CREATE TRIGGER {schema}.{moved} AFTER UPDATE ON {table} WHEN {moves} BEGIN
  INSERT INTO {log}(edge) VALUES ({old});
  SELECT {columns};
END
