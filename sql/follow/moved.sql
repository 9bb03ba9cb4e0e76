-- An update has given the row another rowid. The SELECT has no effect. ALTER TABLE
-- rewrites it, so it always has the present names of the columns.
CREATE TRIGGER {schema}.{moved} AFTER UPDATE ON {table} WHEN {moves} BEGIN
  INSERT INTO {log}(edge) VALUES ({old});
  SELECT {columns};
END
