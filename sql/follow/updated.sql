-- Fires for every column, since a generated column may change with any other one.
CREATE TRIGGER {schema}.{updated} AFTER UPDATE ON {table} BEGIN
  INSERT INTO {log}(edge) VALUES ({new});
END
