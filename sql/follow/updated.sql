-- Fires for every column: a generated one may change with any other.
CREATE TRIGGER {schema}.{updated} AFTER UPDATE ON {table} BEGIN
  INSERT INTO {log}(edge) VALUES ({new});
END
