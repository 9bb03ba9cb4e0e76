CREATE TRIGGER {schema}.{inserted} AFTER INSERT ON {table} BEGIN
  INSERT INTO {log}(edge) VALUES ({new});
END
