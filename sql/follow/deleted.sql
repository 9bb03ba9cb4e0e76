CREATE TRIGGER {schema}.{deleted} AFTER DELETE ON {table} BEGIN
  INSERT INTO {log}(edge) VALUES ({old});
END
