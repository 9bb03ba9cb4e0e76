-- An update gives the row another rowid. REPLACE then deletes the row that has it, and if
-- the action of a foreign key deletes the updated row as well, SQLite fires no trigger
-- after the update. So both rowids are logged before it. The SELECT has no effect. ALTER
-- TABLE rewrites it, so it always has the present names of the columns.
CREATE TRIGGER {schema}.{moved} BEFORE UPDATE ON {table} WHEN {moves} BEGIN
  INSERT INTO {log}(edge) VALUES ({old});
  INSERT INTO {log}(edge) VALUES ({new});
  SELECT {columns};
END
